// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @none(%x: memref<?x?xbf16>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E4M3FN>) {
  // expected-error @+1 {{block format nvfp4 has a scale for the whole tensor, found no tensor_scale(..) [Q14]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN>)
}

// -----

mx.kernel @one_too_many(%x: memref<?x?xbf16>, %t: memref<1xf32>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{block format mxfp4 has no scale for the whole tensor, found tensor_scale(..) [Q14]}}
  mx.quantize ins(%x : memref<?x?xbf16>) tensor_scale(%t : memref<1xf32>) outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU>)
}

// -----

mx.kernel @two(%x: memref<?x?xbf16>, %t: memref<2xf32>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E4M3FN>) {
  // expected-error @+1 {{tensor_scale must be memref<1xf32>, found 'memref<2xf32>' [Q14]}}
  mx.quantize ins(%x : memref<?x?xbf16>) tensor_scale(%t : memref<2xf32>) outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN>)
}

// -----

mx.kernel @type(%x: memref<?x?xbf16>, %t: memref<1xbf16>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E4M3FN>) {
  // expected-error @+1 {{tensor_scale, memref<1xf32> [Q14, D5]}}
  mx.quantize ins(%x : memref<?x?xbf16>) tensor_scale(%t : memref<1xbf16>) outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN>)
}

// -----

mx.kernel @place(%x: memref<?x?xbf16>, %t: memref<1xf32>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E4M3FN>) {
  // expected-error @+1 {{'tensor_scale'}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN>) tensor_scale(%t : memref<1xf32>)
}

// -----

mx.kernel @again(%x: memref<?x?xbf16>, %t: memref<1xf32>, %a: memref<1xf32>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E4M3FN>) {
  // expected-error @+1 {{'tensor_amax' is given twice}}
  mx.quantize ins(%x : memref<?x?xbf16>) tensor_scale(%t : memref<1xf32>) tensor_amax(%a : memref<1xf32>) outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN>)
}

// -----

mx.kernel @of_two_copies(%x: memref<?x?xbf16>, %t: memref<1xf32>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E4M3FN>, %qt: memref<?x?xf4E2M1FN>, %st: memref<?x?xf8E4M3FN>) {
  // expected-error @+1 {{tensor_scale must be memref<2xf32>, found 'memref<1xf32>' [Q14]}}
  mx.quantize ins(%x : memref<?x?xbf16>) tensor_scale(%t : memref<1xf32>)
      outs(%q, %s, %qt, %st : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN>, memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN>) axis = both hadamard = 16
}
