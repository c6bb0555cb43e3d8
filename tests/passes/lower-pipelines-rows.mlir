// Rows of threads: each writes the zeros after its bytes, announces them all at once, and copies where there is a row. As many
// arrivals complete the barrier as the role has threads. Copies of one condition share a branch.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.' --implicit-check-not=nvvm.elect --implicit-check-not=expect_tx --implicit-check-not=bulk.shared

// CHECK-LABEL: llvm.func @rows
// CHECK-SAME: (%[[MEMORY:.*]]: !llvm.ptr<3>, %[[X:.*]]: !llvm.ptr<1>, %[[Y:.*]]: !llvm.ptr<1>, %[[N:.*]]: i32, %[[THERE:.*]]: i1)
llvm.func @rows(%memory: !llvm.ptr<3>, %x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %n: i32, %there: i1) {
  // CHECK: %[[WARP:.*]] = arith.shrui %{{.*}}, %c5_i32
  // CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %c31_i32
  // CHECK: nvvm.mbarrier.init %{{.*}}, %c64_i32
  mx.pipeline within %memory warps = 4 : !llvm.ptr<3>
  %ring = mx.ring "inputs" stages = 1 once parts = [16384, 8192] alignment = 128
  // CHECK: nvvm.barrier
  // CHECK: %[[INDEX:.*]] = arith.subi %[[WARP]], %c1_i32
  // CHECK-NEXT: %[[MINE:.*]] = arith.cmpi ult, %[[INDEX]], %c2_i32
  // CHECK-NEXT: scf.if %[[MINE]] {
  mx.role "rows" first = 1 warps = 2 {
    mx.fill %ring {
    ^bb0(%stage: i32):
      // CHECK: %[[BEFORE:.*]] = arith.muli %[[INDEX]], %c32_i32
      // CHECK-NEXT: %[[THREAD:.*]] = arith.addi %[[BEFORE]], %[[LANE]]
      // CHECK-NEXT: %[[OFFSET:.*]] = arith.muli %[[THREAD]], %c256_i32
      // CHECK-NEXT: %[[TO:.*]] = llvm.getelementptr %[[MEMORY]][%[[OFFSET]]]
      // CHECK-NEXT: %[[BYTES:.*]] = arith.select %[[THERE]], %[[N]], %c0_i32
      // CHECK-NEXT: %[[IS_SHORT:.*]] = arith.cmpi slt, %[[BYTES]], %c256_i32
      // CHECK-NEXT: scf.if %[[IS_SHORT]] {
      // CHECK-NEXT: scf.for %[[I:.*]] = %c0_i32 to %c16_i32
      // CHECK-NEXT: %[[TURN:.*]] = arith.andi %[[LANE]], %c15_i32
      // CHECK-NEXT: %[[CHUNK:.*]] = arith.xori %[[I]], %[[TURN]]
      // CHECK-NEXT: %[[PLACE:.*]] = arith.muli %[[CHUNK]], %c16_i32
      // CHECK-NEXT: %[[IS_AFTER:.*]] = arith.cmpi sge, %[[PLACE]], %[[BYTES]]
      // CHECK-NEXT: scf.if %[[IS_AFTER]] {
      // CHECK: llvm.store %cst, %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
      // CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[MEMORY]][16384]
      // CHECK: scf.for
      // CHECK: %[[SUM:.*]] = arith.addi %[[BYTES]], %[[BYTES]]
      // CHECK: nvvm.mbarrier.arrive.expect_tx %[[FULL:.*]], %[[SUM]]
      // CHECK-NEXT: scf.if %[[THERE]] {
      // CHECK-NEXT: nvvm.cp.async.bulk.shared.cluster.global %[[TO]], %[[X]], %[[FULL]], %[[BYTES]]
      // CHECK-NEXT: nvvm.cp.async.bulk.shared.cluster.global %{{.*}}, %[[Y]], %[[FULL]], %[[BYTES]]
      // CHECK-NEXT: {{^ *}}}
      mx.copy_row %x bytes %n where %there to %ring[%stage] part = 0 row_bytes = 256 : !llvm.ptr<1>
      mx.copy_row %y bytes %n where %there to %ring[%stage] part = 1 row_bytes = 128 : !llvm.ptr<1>
    }
  }
  // CHECK: nvvm.mbarrier.try_wait %{{.*}}, %c0_i32
  mx.use %ring {
  ^bb0(%stage: i32):
  }
  llvm.return
}
