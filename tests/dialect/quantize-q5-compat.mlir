// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @unknown(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{compat must be one of te torchao megatron cublas, found "cutlass" [Q5]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) compat = "cutlass"
}

// -----

mx.kernel @rounding(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{compat = "te" already says rounding, special and tiny [Q5]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) rounding = ceil compat = "te"
}

// -----

mx.kernel @special(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{compat = "torchao" already says rounding, special and tiny [Q5]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) compat = "torchao" special = saturate
}

// -----

mx.kernel @tiny(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{compat = "cublas" already says rounding, special and tiny [Q5]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) compat = "cublas" tiny = exact
}
