// The product as rings and roles: what a pair of CTAs does.
// RUN: mxc-opt --mx-lower-kernels=target=sm_100a --canonicalize --cse %s | FileCheck %s
// RUN: mxc-opt --mx-lower-kernels=target=sm_100a --canonicalize --cse %s | mxc-opt | FileCheck %s
#scales = #mx.scale_layout<tcgen05>

// CHECK-LABEL: llvm.func @pair(
// CHECK: mx.pipeline warps = 6 tensor_columns = 512 allocating_warp = 4 pair
// CHECK: %[[OPERANDS:.*]] = mx.ring "operands" stages = 6 parts = [16384, 16384, 512, 1024] columns = 12
// CHECK: %[[SUMS:.*]] = mx.ring "accumulators" stages = 2 columns = 256 overlap = 96
// CHECK: mx.role "load" first = 5 warps = 1 {
// CHECK: mx.tiles
// CHECK: scf.for
// CHECK: mx.fill %[[OPERANDS]] {
// CHECK: mx.copy_box %{{.*}} to %[[OPERANDS]][%{{.*}}] part = 0 bytes = 16384
// CHECK: mx.copy_box %{{.*}} to %[[OPERANDS]][%{{.*}}] part = 1 bytes = 16384
// CHECK: mx.copy_box %{{.*}} to %[[OPERANDS]][%{{.*}}] part = 2 bytes = 512
// CHECK: mx.copy_box %{{.*}} to %[[OPERANDS]][%{{.*}}] part = 3 offset %{{.*}} bytes = 512 multicast
// CHECK: mx.role "multiply" first = 4 warps = 1 leader {
// CHECK: mx.fill %[[SUMS]] {
// CHECK: mx.use %[[OPERANDS]] {
// CHECK: mx.copy_scales %[[OPERANDS]][%{{.*}}] parts = [2, 3] pair
// CHECK: mx.block_mma %[[OPERANDS]][%{{.*}}] into %[[SUMS]][%{{.*}}] {{.*}} kind = mxf8f6f4 m = 256 n = 256 k = 128 a = f8E4M3FN b = f8E5M2 scale = f8E8M0FNU scale_a = 0 scale_b = 4 selectors = [0, 1, 2, 3] pair
// CHECK: mx.role "store" first = 0 warps = 4 {
// CHECK: mx.use %[[SUMS]] {
// CHECK: mx.read_accumulator %[[SUMS]]
// CHECK: mx.release %[[SUMS]]
// CHECK: mx.store_box
// CHECK: mx.drain_stores
mx.kernel @pair(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E5M2>,
                %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E5M2>, memref<?x?xf8E8M0FNU, #scales>)
            outs(%c : memref<?x?xbf16>) tiles = [#mx.matmul_tile<m = 256, n = 256, stages = 6, ctas = 2, buffers = 1>]
}
