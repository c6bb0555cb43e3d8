// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @one(%x: memref<?x?xbf16>, %r: memref<1xi64>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{random must be memref<2xi64>, a seed and an offset, found 'memref<1xi64>' [Q17]}}
  mx.quantize ins(%x : memref<?x?xbf16>) random(%r : memref<1xi64>) outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU>)
}

// -----

mx.kernel @type(%x: memref<?x?xbf16>, %r: memref<2xi32>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{random, memref<2xi64> [Q17]}}
  mx.quantize ins(%x : memref<?x?xbf16>) random(%r : memref<2xi32>) outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU>)
}

// -----

mx.kernel @eight_bits(%x: memref<?x?xbf16>, %r: memref<2xi64>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{random is for elements of 4 bits, found f8E4M3FN [Q17]}}
  mx.quantize ins(%x : memref<?x?xbf16>) random(%r : memref<2xi64>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}

// -----

mx.kernel @six_bits(%x: memref<?x?xbf16>, %r: memref<2xi64>, %q: memref<?x?xf6E2M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{random is for elements of 4 bits, found f6E2M3FN [Q17]}}
  mx.quantize ins(%x : memref<?x?xbf16>) random(%r : memref<2xi64>) outs(%q, %s : memref<?x?xf6E2M3FN>, memref<?x?xf8E8M0FNU>)
}

// -----

mx.kernel @behind(%x: memref<?x?xbf16>, %r: memref<2xi64>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU>)
      // expected-error @+1 {{'random' stands out of its place: expected it before 'outs'}}
      random(%r : memref<2xi64>)
}
