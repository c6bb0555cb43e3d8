// Rows lie one after the other: a stride of 0 or below is none, whatever the number of columns is.
// RUN: mxc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{[K4]}}
mx.kernel @backwards(%x: memref<?x?xbf16, strided<[-8, 1]>>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16, strided<[-8, 1]>>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}

// -----

// expected-error @+1 {{[K4]}}
mx.kernel @all_rows_in_one_place(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN, strided<[0, 1]>>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN, strided<[0, 1]>>, memref<?x?xf8E8M0FNU>)
}
