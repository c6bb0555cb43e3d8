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

// -----

mx.kernel @of_f32(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf32>) {
  // expected-error @+1 {{compat must be one of deepseek te_blockwise te_blockwise_f32 for scales of f32, found "te" [Q5]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf32>) compat = "te"
}

// -----

mx.kernel @of_bytes(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{compat must be one of te torchao megatron cublas for scales of ue8m0, found "deepseek" [Q5]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) compat = "deepseek"
}

// -----

mx.kernel @nearest(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{rounding = nearest is for scales of f32 or ue4m3, found scales of ue8m0 [Q5]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) rounding = nearest
}

// -----

mx.kernel @unit_scale(%x: memref<?x?xbf16>, %t: memref<1xf32>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E4M3FN>) {
  // expected-error @+1 {{special = unit_scale is for scales of f32 or ue8m0, found scales of ue4m3 [Q5]}}
  mx.quantize ins(%x : memref<?x?xbf16>) tensor_scale(%t : memref<1xf32>) outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN>) special = unit_scale
}

// -----

mx.kernel @ieee(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf32>) {
  // expected-error @+1 {{special = ieee is for scales that are quotients: rounding = nearest, reciprocal or inverse, found scales of f32 [Q5]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf32>) rounding = ceil special = ieee
}

// -----

mx.kernel @byte_one(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf32>) {
  // expected-error @+1 {{tiny = byte_one is for scales of ue8m0, found scales of f32 [Q5]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf32>) tiny = byte_one
}

// -----

mx.kernel @of_two_levels(%x: memref<?x?xbf16>, %t: memref<1xf32>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E4M3FN>) {
  // expected-error @+1 {{compat must be one of te flashinfer torchao for scales of ue4m3, found "cublas" [Q5]}}
  mx.quantize ins(%x : memref<?x?xbf16>) tensor_scale(%t : memref<1xf32>) outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN>) compat = "cublas"
}

// -----

mx.kernel @ceil_of_two_levels(%x: memref<?x?xbf16>, %t: memref<1xf32>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E4M3FN>) {
  // expected-error @+1 {{rounding = ceil is for scales of ue8m0 or f32, found scales of ue4m3 [Q5]}}
  mx.quantize ins(%x : memref<?x?xbf16>) tensor_scale(%t : memref<1xf32>) outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN>) rounding = ceil
}
