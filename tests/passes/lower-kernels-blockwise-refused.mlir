// RUN: mxc-opt %s -split-input-file --mx-select-tiles=target=sm_100a --mx-lower-kernels=target=sm_100a -verify-diagnostics

!codes = memref<?x?xf8E4M3FN>
!lines = memref<?x?xf32, #mx.scale_layout<mn_major>>
mx.kernel @chip(%a: !codes, %sa: !lines, %b: !codes, %sb: memref<?x?xf32>, %c: memref<?x?xbf16>) {
  // expected-error @+1 {{block format fp8_e4m3_1x128: products with f32 scales are generated for sm_90a, found sm_100a, whose tensor cores take scales that are powers of two}}
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !lines, !codes, memref<?x?xf32>) outs(%c : memref<?x?xbf16>) block = 1x128 by 128x128
}
