// Gathered rows of a bulk column tile: 128 threads copy a row each, as many bytes as there are, and announce them.
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a --canonicalize --cse %s | FileCheck %s

// CHECK: module attributes {mx.abi = "{{.*}}K % 8 == 0
// CHECK-LABEL: llvm.func @gathered(
// CHECK-SAME: %[[X:.*]]: !llvm.ptr<1>, %[[INDEX:.*]]: !llvm.ptr<1>, %[[Q:.*]]: !llvm.ptr<1>, %[[S:.*]]: !llvm.ptr<1>, %arg4
mx.kernel @gathered(%x: memref<?x?xbf16>, %index: memref<?xi32>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK: llvm.load {{.*}} -> i32
  // CHECK: nvvm.mbarrier.init %[[BARRIER:.*]], %c128_i32
  // CHECK: nvvm.barrier
  // CHECK: scf.if
  // Zeros where there is no row, and behind the last column.
  // CHECK: scf.for
  // CHECK: llvm.store {{.*}} : vector<4xi32>, !llvm.ptr<3>
  // CHECK: nvvm.mbarrier.arrive.expect_tx {{.*}}, %[[BYTES:.*]] :
  // CHECK: scf.if
  // CHECK-NEXT: nvvm.cp.async.bulk.shared.cluster.global %{{.*}}, %{{.*}}, %{{.*}}, %[[BYTES]] :
  // CHECK: nvvm.mbarrier.try_wait
  // CHECK: mx.column_amax
  mx.quantize ins(%x : memref<?x?xbf16>) gather(%index : memref<?xi32>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      axis = column tiles = [#mx.column_tile<>]
}
