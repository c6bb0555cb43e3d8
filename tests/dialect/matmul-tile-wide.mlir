// mma_k of #mx.matmul_tile: what it goes with. Tiles without it are printed without it.
// RUN: mxc-opt -allow-unregistered-dialect %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK: #mx.matmul_tile<m = 256, n = 192, stages = 5, ctas = 2, supergroup = 8, buffers = 2, load = tensor, store = tensor, slices = 1, scheduler = static, mma_k = 96>
module attributes {test.tile = #mx.matmul_tile<m = 256, n = 192, stages = 5, ctas = 2, mma_k = 96>} {}

// -----

// CHECK: scheduler = static>
module attributes {test.tile = #mx.matmul_tile<>} {}

// -----

// expected-error @+1 {{expected 96 as 'mma_k', found 64; without it instructions have 32 bytes along K}}
module attributes {test.tile = #mx.matmul_tile<mma_k = 64>} {}

// -----

// expected-error @+1 {{mma_k = 96 goes with n = 128, 192 or 256, found 64}}
module attributes {test.tile = #mx.matmul_tile<n = 64, mma_k = 96>} {}

// -----

// expected-error @+1 {{mma_k = 96 goes with load = tensor and share = b}}
module attributes {test.tile = #mx.matmul_tile<load = element, store = rows, mma_k = 96>} {}

// -----

// expected-error @+1 {{mma_k = 96 goes with load = tensor and share = b}}
module attributes {test.tile = #mx.matmul_tile<n = 256, ctas = 2, share = a, mma_k = 96>} {}

// -----

// expected-error @+1 {{mma_k = 96 goes with 3 stages and more, found 2}}
module attributes {test.tile = #mx.matmul_tile<stages = 2, mma_k = 96>} {}

// -----

!codes = memref<?x?xf4E2M1FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
mx.kernel @sequential(%a: !codes, %sa: !scales, %b: !codes, %sb: !scales, %c: memref<?x?xbf16>) {
  // expected-error @+1 {{adds 96 products a step, others 64 [M9]}}
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !scales, !codes, !scales) outs(%c : memref<?x?xbf16>) reduction = sequential tiles = [#mx.matmul_tile<mma_k = 96>, #mx.matmul_tile<load = element, store = rows>]
}

// -----

!codes = memref<?x?xf4E2M1FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
mx.kernel @k_groups(%a: !codes, %sa: !scales, %b: !codes, %sb: !scales, %ends: memref<?xi32>, %c: memref<?x?x?xf32>) {
  // expected-error @+1 {{has steps of 768 elements along K [GM3]}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : !codes, !scales, !codes, !scales) groups(%ends : memref<?xi32>) outs(%c : memref<?x?x?xf32>) ragged = k align = 128 tiles = [#mx.matmul_tile<mma_k = 96>, #mx.matmul_tile<load = element, store = rows>]
}
