// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @rq1(%q: memref<8x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %r: memref<9x?xf8E4M3FN>, %t: memref<?x?xf32>) {
  // expected-error @+1 {{the result must have the shape of the data 'memref<8x?xf8E4M3FN>', found 'memref<9x?xf8E4M3FN>' [RQ1]}}
  mx.requantize ins(%q, %s : memref<8x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) outs(%r, %t : memref<9x?xf8E4M3FN>, memref<?x?xf32>)
}

// -----

mx.kernel @rq2(%q: memref<?x256xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %r: memref<?x256xf8E4M3FN>, %t: memref<?x3xf32>) {
  // expected-error @+1 {{scales must have shape [rows, ceil(columns/128)] of 'memref<?x256xf8E4M3FN>', found 'memref<?x3xf32>' [RQ2]}}
  mx.requantize ins(%q, %s : memref<?x256xf8E4M3FN>, memref<?x?xf8E8M0FNU>) outs(%r, %t : memref<?x256xf8E4M3FN>, memref<?x3xf32>)
}

// -----

mx.kernel @rq3(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %r: memref<?x?xf8E5M2>, %t: memref<?x?xf32>) {
  // expected-error @+1 {{is there for mxfp8_e4m3 to fp8_e4m3_1x128, mxfp8_e5m2 to fp8_e5m2_1x128, mxfp4 to nvfp4, found mxfp8_e4m3 to fp8_e5m2_1x128 [RQ3]}}
  mx.requantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) outs(%r, %t : memref<?x?xf8E5M2>, memref<?x?xf32>)
}

// -----

mx.kernel @rq4(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %r: memref<?x?xf8E4M3FN>, %t: memref<?x?xf32>, %e: memref<2xf32>) {
  // expected-error @+1 {{error must be memref<1xf32>, found 'memref<2xf32>' [RQ4]}}
  mx.requantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) outs(%r, %t : memref<?x?xf8E4M3FN>, memref<?x?xf32>) error(%e : memref<2xf32>)
}

// -----

mx.kernel @rq5(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %r: memref<?x?xf8E4M3FN>, %t: memref<?x?xf32>) {
  // expected-error @+1 {{[RQ5]}}
  mx.requantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) outs(%r, %t : memref<?x?xf8E4M3FN>, memref<?x?xf32>) tiles = []
}

// -----

mx.kernel @misplaced(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %r: memref<?x?xf8E4M3FN>, %t: memref<?x?xf32>, %n: memref<1xi64>) {
  // expected-error @+1 {{'inexact' stands out of its place: expected it directly after 'outs'}}
  mx.requantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) outs(%r, %t : memref<?x?xf8E4M3FN>, memref<?x?xf32>) tiles = [#mx.quantize_tile<>] inexact(%n : memref<1xi64>)
}

// -----

mx.kernel @rq6(%q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E8M0FNU>, %r: memref<?x?xf4E2M1FN>, %t: memref<?x?xf8E4M3FN>) {
  // expected-error @+1 {{block format nvfp4 has a scale for the whole tensor, found no tensor_scale(..) [RQ6]}}
  mx.requantize ins(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU>) outs(%r, %t : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN>)
}

// -----

mx.kernel @rq6_others(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %u: memref<1xf32>, %r: memref<?x?xf8E4M3FN>, %t: memref<?x?xf32>) {
  // expected-error @+1 {{block format fp8_e4m3_1x128 has no scale for the whole tensor, found tensor_scale(..) [RQ6]}}
  mx.requantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) tensor_scale(%u : memref<1xf32>) outs(%r, %t : memref<?x?xf8E4M3FN>, memref<?x?xf32>)
}
