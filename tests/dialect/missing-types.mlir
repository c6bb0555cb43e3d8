// RUN: mxc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected ':'}}
mx.kernel @argument(%x) {
}

// -----

mx.kernel @quantize_outs(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{expected ','}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>)
}

// -----

mx.kernel @quantize_ins(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{expected ':'}}
  mx.quantize ins(%x) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}

// -----

mx.kernel @wrong_type(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) { // expected-note {{prior use here}}
  // expected-error @+1 {{use of value '%x' expects different type than prior uses: 'memref<?x?xf16>' vs 'memref<?x?xbf16>'}}
  mx.quantize ins(%x : memref<?x?xf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}

// -----

mx.kernel @dequantize(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %x: memref<?x?xf32>) {
  // expected-error @+1 {{expected ':'}}
  mx.dequantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) outs(%x)
}

// -----

// expected-error @+1 {{expected valid '@'-identifier for symbol name}}
mx.kernel quantize(%x: memref<?x?xbf16>) {
}
