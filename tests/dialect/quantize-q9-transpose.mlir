// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @along_rows(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{transpose is for copies along columns: axis = column or axis = both [Q9]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) transpose = true
}

// -----

mx.kernel @packed(%x: memref<?x?xbf16>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{elements of 4 bits are packed along their blocks, as products read them: a copy along columns is transposed, found transpose = false [Q9]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU>) axis = column transpose = false
}
