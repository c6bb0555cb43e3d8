// Products with instructions of 96 elements along K: a step of 768 is eight of them over three stages of 128 bytes a row, whose border the
// third and the sixth cross. Scales have a ring of their own: 12 of a row a stage, those of two instructions in NVFP4 and of four in MXFP4.
// RUN: mxc-opt --mx-lower-kernels=target=sm_103a %s -split-input-file -verify-diagnostics | FileCheck %s
// RUN: mxc-opt --mx-lower-kernels=target=sm_103a --mx-lower-pipelines=target=sm_103a %s -split-input-file -verify-diagnostics | FileCheck %s --check-prefix=LOWERED

#scales = #mx.scale_layout<tcgen05>

// A scale tile has 64 elements of K: three are 192.
// CHECK: \22box\22:[256,3,1],{{.*}}\22256\22,\22ceildiv(K, 64)\22
// CHECK-LABEL: llvm.func @nvfp4(
// CHECK: mx.pipeline warps = 7 tensor_columns = 512 allocating_warp = 4 pair
// CHECK: %[[OPERANDS:.*]] = mx.ring "operands" stages = 6 parts = [16384, 16384]
// CHECK: %[[SCALES:.*]] = mx.ring "scales" stages = 4 parts = [1536, 3072] alignment = 512 columns = 36
// CHECK: mx.ring "accumulators" stages = 2 columns = 256 overlap = 160
// CHECK: mx.role "load" first = 5 warps = 1
// CHECK: tile = 256 x 256 x 768
// CHECK: mx.fill %[[OPERANDS]]
// CHECK: mx.copy_box {{.*}} part = 0 bytes = 16384
// CHECK-NEXT: mx.copy_box {{.*}} part = 1 bytes = 16384
// CHECK: mx.role "load scales" first = 6 warps = 1
// CHECK: mx.fill %[[SCALES]]
// CHECK: mx.copy_box {{.*}} part = 0 bytes = 1536
// A CTA brings one of the two tiles of b's rows to both.
// CHECK: mx.copy_box {{.*}} part = 1 offset %{{.*}} bytes = 1536 multicast
// CHECK: mx.role "multiply" first = 4 warps = 1 leader
// CHECK: mx.use %[[SCALES]]
// CHECK: ^bb0(%[[Q0:.*]]: i32):
// CHECK: mx.copy_scales %[[SCALES]][%[[Q0]]] parts = [0, 1] along = 3 pair
// CHECK: mx.use %[[OPERANDS]]
// CHECK: ^bb0(%[[S0:.*]]: i32):
// CHECK: mx.wide_mma %[[OPERANDS]][%[[S0]], %[[S0]]] scales %[[SCALES]][%[[Q0]]] {{.*}} first = 0 count = 2 kind = mxf4nvf4 m = 256 n = 256 scale = f8E4M3FN pair
// CHECK: mx.release %[[SCALES]][%[[Q0]]]
// CHECK: mx.use %[[SCALES]]
// CHECK: ^bb0(%[[Q1:.*]]: i32):
// CHECK: mx.use %[[OPERANDS]]
// CHECK: ^bb0(%[[S1:.*]]: i32):
// CHECK: mx.wide_mma %[[OPERANDS]][%[[S0]], %[[S1]]] scales %[[SCALES]][%[[Q1]]] {{.*}} first = 2 count = 1
// CHECK: mx.release %[[OPERANDS]][%[[S0]]]
// CHECK: mx.wide_mma %[[OPERANDS]][%[[S1]], %[[S1]]] {{.*}} first = 3 count = 1
// CHECK: mx.release %[[SCALES]][%[[Q1]]]
// CHECK: mx.wide_mma {{.*}} first = 4 count = 1
// CHECK: mx.use %[[OPERANDS]]
// CHECK: ^bb0(%[[S2:.*]]: i32):
// CHECK: mx.wide_mma %[[OPERANDS]][%[[S1]], %[[S2]]] {{.*}} first = 5 count = 1
// CHECK: mx.release %[[OPERANDS]][%[[S1]]]
// CHECK: mx.wide_mma %[[OPERANDS]][%[[S2]], %[[S2]]] {{.*}} first = 6 count = 2
// CHECK: mx.release %[[OPERANDS]][%[[S2]]]

// The instruction descriptor's bit 31, and scales that begin at byte 0 or 2: 0x90400480 and 0xD04004A0. Matrix descriptors' high word: version, 128B
// swizzle, stride 1024, bit 52; the low word has where rows begin and where they go on.
// LOWERED-LABEL: llvm.func @nvfp4(
// LOWERED: arith.constant 1074806848 : i32
// LOWERED: tcgen05.mma.block_scale {{.*}} %c-1874852736_i32{{.*}}<block16>{{.*}}<mxf4nvf4>
// LOWERED: tcgen05.mma.block_scale {{.*}} %c-801110880_i32{{.*}}<block16>{{.*}}<mxf4nvf4>
// LOWERED: tcgen05.mma.block_scale {{.*}} %c-1874852736_i32{{.*}}<block16>{{.*}}<mxf4nvf4>
// LOWERED: tcgen05.mma.block_scale {{.*}} %c-801110880_i32{{.*}}<block16>{{.*}}<mxf4nvf4>
// LOWERED: tcgen05.mma.block_scale {{.*}} %c-1874852736_i32{{.*}}<block16>{{.*}}<mxf4nvf4>
// LOWERED: tcgen05.mma.block_scale {{.*}} %c-801110880_i32{{.*}}<block16>{{.*}}<mxf4nvf4>
// LOWERED: tcgen05.mma.block_scale {{.*}} %c-1874852736_i32{{.*}}<block16>{{.*}}<mxf4nvf4>
// LOWERED: tcgen05.mma.block_scale {{.*}} %c-801110880_i32{{.*}}<block16>{{.*}}<mxf4nvf4>
mx.kernel @nvfp4(%a: memref<?x?xf4E2M1FN>, %sa: memref<?x?xf8E4M3FN, #scales>, %b: memref<?x?xf4E2M1FN>, %sb: memref<?x?xf8E4M3FN, #scales>, %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN, #scales>, memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN, #scales>) outs(%c : memref<?x?xbf16>) tiles = [#mx.matmul_tile<m = 256, n = 256, stages = 6, ctas = 2, buffers = 1, mma_k = 96>]
}

// -----

#scales = #mx.scale_layout<tcgen05>

// CHECK-LABEL: llvm.func @mxfp4(
// CHECK: mx.ring "scales" stages = 4 parts = [1536, 1536] alignment = 512 columns = 24
// Beside 128 columns of one CTA both accumulators have room.
// CHECK: mx.ring "accumulators" stages = 2 columns = 128{{$}}
// CHECK: first = 0 count = 2 kind = mxf4 m = 128 n = 128 scale = f8E8M0FNU
// CHECK: first = 2 count = 1
// CHECK: first = 3 count = 1
// CHECK: first = 4 count = 1
// CHECK: first = 5 count = 1
// CHECK: first = 6 count = 2
// Three scales begin at byte 0, 3, 2 and 1 of their words.
// LOWERED-LABEL: llvm.func @mxfp4(
// LOWERED: tcgen05.mma.block_scale {{.*}} %c-2002779008_i32{{.*}}<block32>{{.*}}<mxf4>
// LOWERED: tcgen05.mma.block_scale {{.*}} %c-392166224_i32{{.*}}<block32>{{.*}}<mxf4>
// LOWERED: tcgen05.mma.block_scale {{.*}} %c-929037152_i32{{.*}}<block32>{{.*}}<mxf4>
// LOWERED: tcgen05.mma.block_scale {{.*}} %c-1465908080_i32{{.*}}<block32>{{.*}}<mxf4>
// LOWERED: tcgen05.mma.block_scale {{.*}} %c-2002779008_i32{{.*}}<block32>{{.*}}<mxf4>
// LOWERED: tcgen05.mma.block_scale {{.*}} %c-392166224_i32{{.*}}<block32>{{.*}}<mxf4>
// LOWERED: tcgen05.mma.block_scale {{.*}} %c-929037152_i32{{.*}}<block32>{{.*}}<mxf4>
// LOWERED: tcgen05.mma.block_scale {{.*}} %c-1465908080_i32{{.*}}<block32>{{.*}}<mxf4>
mx.kernel @mxfp4(%a: memref<?x?xf4E2M1FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf4E2M1FN>, %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?xbf16>) tiles = [#mx.matmul_tile<n = 128, stages = 5, mma_k = 96>]
}

// -----

#scales = #mx.scale_layout<tcgen05>

mx.kernel @eight_bits(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf4E2M1FN>, %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  // expected-error @+1 {{has mma_k = 96, which is for two operands of 4 bits}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?xbf16>) tiles = [#mx.matmul_tile<n = 128, mma_k = 96>]
}
