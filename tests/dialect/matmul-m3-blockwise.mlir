// Operands with f32 scales and blocks of 128: what M3 asks of them.
// RUN: mxc-opt %s -split-input-file -verify-diagnostics | FileCheck %s

!codes = memref<?x?xf8E4M3FN>
!lines = memref<?x?xf32, #mx.scale_layout<mn_major>>
// CHECK-LABEL: mx.kernel @round_trip
mx.kernel @round_trip(%a: !codes, %sa: !lines, %b: !codes, %sb: memref<?x?xf32>, %c: memref<?x?xbf16>) {
  // CHECK: block = 1x128 by 128x128
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !lines, !codes, memref<?x?xf32>) outs(%c : memref<?x?xbf16>) block = 1x128 by 128x128
}

!weights = memref<?x?x?xf8E4M3FN>
// CHECK-LABEL: mx.kernel @groups
mx.kernel @groups(%a: !codes, %sa: !lines, %b: !weights, %sb: memref<?x?x?xf32>, %ends: memref<?xi32>, %c: memref<?x?xbf16>) {
  // CHECK: align = 1 block = 1x128 by 128x128
  mx.grouped_matmul ins(%a, %sa, %b, %sb : !codes, !lines, !weights, memref<?x?x?xf32>) groups(%ends : memref<?xi32>) outs(%c : memref<?x?xbf16>) block = 1x128 by 128x128 align = 1
}

// -----

!codes = memref<?x?xf8E4M3FN>
!lines = memref<?x?xf32, #mx.scale_layout<mn_major>>
!weights = memref<?x?x?xf8E4M3FN>
mx.kernel @groups_of_lines(%a: !codes, %sa: !lines, %b: !weights, %sb: memref<?x?x?xf32, #mx.scale_layout<mn_major>>, %ends: memref<?xi32>, %c: memref<?x?xbf16>) {
  // expected-error @+1 {{scales of b must have the layout that is the default, found}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : !codes, !lines, !weights, memref<?x?x?xf32, #mx.scale_layout<mn_major>>) groups(%ends : memref<?xi32>) outs(%c : memref<?x?xbf16>) block = 1x128 by 128x128
}

// -----

!codes = memref<?x?xf8E4M3FN>
mx.kernel @dense(%a: !codes, %sa: memref<?x?xf32>, %b: !codes, %sb: memref<?x?xf32>, %c: memref<?x?xbf16>) {
  // expected-error @+1 {{scales of a must have the layout #mx.scale_layout<mn_major>, found 'memref<?x?xf32>' [M3]}}
  mx.matmul ins(%a, %sa, %b, %sb : !codes, memref<?x?xf32>, !codes, memref<?x?xf32>) outs(%c : memref<?x?xbf16>) block = 1x128 by 128x128
}

// -----

!codes = memref<?x?xf8E4M3FN>
!lines = memref<?x?xf32, #mx.scale_layout<mn_major>>
mx.kernel @lines_of_blocks(%a: !codes, %sa: !lines, %b: !codes, %sb: !lines, %c: memref<?x?xbf16>) {
  // expected-error @+1 {{scales of b must have the layout that is the default, found}}
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !lines, !codes, !lines) outs(%c : memref<?x?xbf16>) block = 1x128 by 128x128
}

// -----

!codes = memref<?x?xf8E4M3FN>
!lines = memref<?x?xf32, #mx.scale_layout<mn_major>>
mx.kernel @blocks_of_a(%a: !codes, %sa: memref<?x?xf32>, %b: !codes, %sb: !lines, %c: memref<?x?xbf16>) {
  // expected-error @+1 {{blocks of a must be of one row, found 128x128 [M3]}}
  mx.matmul ins(%a, %sa, %b, %sb : !codes, memref<?x?xf32>, !codes, !lines) outs(%c : memref<?x?xbf16>) block = 128x128 by 1x128
}

// -----

!codes = memref<?x?xf8E4M3FN>
!lines = memref<?x?xf32, #mx.scale_layout<mn_major>>
!tiles = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
mx.kernel @mixed(%a: !codes, %sa: !lines, %b: !codes, %sb: !tiles, %c: memref<?x?xbf16>) {
  // expected-error @+1 {{blocks of a and b must have one length along K, found 128 and 32 [M3]}}
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !lines, !codes, !tiles) outs(%c : memref<?x?xbf16>)
}

// -----

!codes = memref<?x256xf8E4M3FN>
!lines = memref<?x2xf32, #mx.scale_layout<mn_major>>
mx.kernel @shape(%a: !codes, %sa: !lines, %b: !codes, %sb: memref<?x3xf32>, %c: memref<?x?xbf16>) {
  // expected-error @+1 {{scales must be [.., rows, ceil(K/128)] = [.., 2], found 'memref<?x3xf32>' [M3]}}
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !lines, !codes, memref<?x3xf32>) outs(%c : memref<?x?xbf16>) block = 1x128 by 128x128
}

// -----

!codes = memref<?x?xf8E4M3FN>
!tiles = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
mx.kernel @converted(%a: !codes, %sa: !tiles, %b: !codes, %sb: !tiles, %c: memref<?x?xbf16>) {
  // expected-error @+1 {{scales of 'f8E8M0FNU' are for blocks of 1x32, found block = 1x128: mx.convert_scales writes those of larger blocks for each part of 1x32, and the product has no clause then [M3]}}
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !tiles, !codes, !tiles) outs(%c : memref<?x?xbf16>) block = 1x128 by 128x128
}
