// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @along_rows(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{transpose is for copies along columns: axis = column or axis = both [Q9]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) transpose = true
}
