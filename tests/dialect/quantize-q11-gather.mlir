// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @two(%x: memref<64x?xbf16>, %y: memref<65x?xbf16>, %index: memref<?xi32>, %q: memref<?x?xf8E4M3FN>,
               %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{gathered inputs must have the shape of the first input 'memref<64x?xbf16>', found 'memref<65x?xbf16>' [Q11]}}
  mx.quantize ins(%x, %y : memref<64x?xbf16>, memref<65x?xbf16>) gather(%index : memref<?xi32>)
      outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {
  ^bb0(%a: f32, %b: f32):
    mx.yield %b : f32
  }
}

// -----

mx.kernel @length(%x: memref<64x?xbf16>, %index: memref<10xi32>, %q: memref<11x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{inputs, gathered, must have the shape of the data 'memref<11x?xf8E4M3FN>', found 'memref<10x?xbf16>' [Q2]}}
  mx.quantize ins(%x : memref<64x?xbf16>) gather(%index : memref<10xi32>)
      outs(%q, %s : memref<11x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}
