// Elements below 8 bits are packed: a row, and the way to the next one, is whole bytes.
// RUN: mxc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{argument 'q' must have rows of whole bytes: expected a multiple of 2 elements, found 33 in 'memref<?x33xf4E2M1FN>' [K6]}}
mx.kernel @odd(%x: memref<?x33xbf16>, %q: memref<?x33xf4E2M1FN>, %s: memref<?x2xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x33xbf16>) outs(%q, %s : memref<?x33xf4E2M1FN>, memref<?x2xf8E8M0FNU>)
}

// -----

// expected-error @+1 {{expected a multiple of 4 elements, found 34 in 'memref<?x34xf6E3M2FN>' [K6]}}
mx.kernel @two_of_four(%x: memref<?x34xbf16>, %q: memref<?x34xf6E3M2FN>, %s: memref<?x2xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x34xbf16>) outs(%q, %s : memref<?x34xf6E3M2FN>, memref<?x2xf8E8M0FNU>)
}

// -----

// expected-error @+1 {{expected a multiple of 2 elements, found 65 in 'memref<?x64xf4E2M1FN, strided<[65, 1]>>' [K6]}}
mx.kernel @stride(%x: memref<?x64xbf16>, %q: memref<?x64xf4E2M1FN, strided<[65, 1]>>, %s: memref<?x2xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x64xbf16>) outs(%q, %s : memref<?x64xf4E2M1FN, strided<[65, 1]>>, memref<?x2xf8E8M0FNU>)
}

// -----

mx.kernel @whole(%x: memref<?x36xbf16>, %q: memref<?x36xf6E2M3FN>, %s: memref<?x2xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x36xbf16>) outs(%q, %s : memref<?x36xf6E2M3FN>, memref<?x2xf8E8M0FNU>)
}
