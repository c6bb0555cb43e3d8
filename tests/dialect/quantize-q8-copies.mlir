// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @one_of_two(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{axis = both needs data and scales of two copies, along rows and along columns, found one [Q8]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) axis = both
}

// -----

mx.kernel @two_of_one(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>,
                      %p: memref<?x?xf8E4M3FN>, %t: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{axis = column needs data and scales of one copy, found two [Q8]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s, %p, %t : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) axis = column
}

// -----

mx.kernel @two_formats(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>,
                       %p: memref<?x?xf8E5M2>, %t: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{both copies must have one block format, found 'f8E5M2' beside 'f8E4M3FN' [Q7]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s, %p, %t : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>, memref<?x?xf8E5M2>, memref<?x?xf8E8M0FNU>) axis = both
}
