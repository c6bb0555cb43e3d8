// RUN: mxc-opt %s -split-input-file --mx-select-tiles=target=sm_100a --mx-lower-kernels=target=sm_100a -verify-diagnostics

!codes = memref<?x?xf8E4M3FN>
!lines = memref<?x?xf32, #mx.scale_layout<mn_major>>
mx.kernel @chip(%a: !codes, %sa: !lines, %b: !codes, %sb: memref<?x?xf32>, %c: memref<?x?xbf16>) {
  // expected-error @+3 {{block format fp8_e4m3_1x128: products with f32 scales are generated for sm_90a, found sm_100a, whose tensor cores take scales that are powers of two, for blocks of 32: mx.convert_scales makes them, once}}
  // expected-note @+2 {{for a: mx.convert_scales ins(%s : memref<?x?xf32, #mx.scale_layout<mn_major>>) outs(%t : memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) inexact(%n : memref<1xi64>) block = 1x128 to 1x32}}
  // expected-note @+1 {{for b: mx.convert_scales ins(%s : memref<?x?xf32>) outs(%t : memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) inexact(%n : memref<1xi64>) block = 128x128 to 1x32}}
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !lines, !codes, memref<?x?xf32>) outs(%c : memref<?x?xbf16>) block = 1x128 by 128x128
}

// -----

!codes = memref<?x?xf8E4M3FN>
!lines = memref<?x?xf32, #mx.scale_layout<mn_major>>
!weights = memref<?x?x?xf8E4M3FN>
mx.kernel @groups(%a: !codes, %sa: !lines, %b: !weights, %sb: memref<?x?x?xf32>, %ends: memref<?xi32>, %c: memref<?x?xbf16>) {
  // expected-error @+3 {{block format fp8_e4m3_1x128: products with f32 scales are generated for sm_90a, found sm_100a}}
  // expected-note @+2 {{for a: mx.convert_scales ins(%s : memref<?x?xf32, #mx.scale_layout<mn_major>>)}}
  // expected-note @+1 {{for b, each group's matrix: mx.convert_scales ins(%s : memref<?x?xf32>) outs(%t : memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) inexact(%n : memref<1xi64>) block = 128x128 to 1x32}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : !codes, !lines, !weights, memref<?x?x?xf32>) groups(%ends : memref<?xi32>) outs(%c : memref<?x?xbf16>) block = 1x128 by 128x128
}
