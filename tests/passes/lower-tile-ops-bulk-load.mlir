// One lane starts the copies of all boxes on one mbarrier behind the last box; every lane waits for its first phase.
// RUN: mxc-opt --mx-lower-tile-ops --cse %s | FileCheck %s

// CHECK-LABEL: llvm.func @two_inputs(
// CHECK-SAME: %[[SHARED:.*]]: !llvm.ptr<3>, %[[X:.*]]: !llvm.ptr, %[[Y:.*]]: !llvm.ptr, %[[R:.*]]: i32, %[[C:.*]]: i32, %[[T:.*]]: i32)
llvm.func @two_inputs(%shared: !llvm.ptr<3>, %x: !llvm.ptr, %y: !llvm.ptr, %r: i32, %c: i32, %t: i32) {
  // The sum of the copies, 2 groups of 8 x 256 x (2 + 4) bytes.
  // CHECK-DAG: %[[BYTES:.*]] = arith.constant 24576 : i32
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[T]], %c0_i32
  // CHECK-NEXT: scf.if %[[FIRST]] {
  // CHECK-NEXT: %[[BARRIER:.*]] = llvm.getelementptr %[[SHARED]][24576]
  // CHECK-NEXT: nvvm.mbarrier.init %[[BARRIER]], %c1_i32
  // CHECK-NEXT: nvvm.fence.mbarrier.init
  // CHECK-NEXT: nvvm.mbarrier.arrive.expect_tx %[[BARRIER]], %[[BYTES]]
  // CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[SHARED]], %[[X]], %[[BARRIER]], box[%[[C]], %[[R]]] {isCTAOnly = true}
  // CHECK-NEXT: %[[X1:.*]] = llvm.getelementptr %[[SHARED]][4096]
  // CHECK-NEXT: %[[R1:.*]] = arith.addi %[[R]], %c32_i32
  // CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[X1]], %[[X]], %[[BARRIER]], box[%[[C]], %[[R1]]]
  // CHECK-NEXT: %[[Y0:.*]] = llvm.getelementptr %[[SHARED]][8192]
  // CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[Y0]], %[[Y]], %[[BARRIER]], box[%[[C]], %[[R]]]
  // CHECK-NEXT: %[[Y1:.*]] = llvm.getelementptr %[[SHARED]][16384]
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[Y1]], %[[Y]], %[[BARRIER]], box[%[[C]], %{{.*}}]
  // CHECK-NEXT: {{^ *}}}
  // Nobody waits on a barrier that is not initialized.
  // CHECK-NEXT: nvvm.griddepcontrol launch_dependents
  // CHECK-NEXT: nvvm.barrier
  // CHECK-NEXT: %[[BARRIER:.*]] = llvm.getelementptr %[[SHARED]][24576]
  // CHECK-NEXT: scf.while : () -> () {
  // CHECK-NEXT: %[[DONE:.*]] = nvvm.mbarrier.try_wait %[[BARRIER]], %c0_i32
  // CHECK-NEXT: %[[AGAIN:.*]] = arith.xori %[[DONE]], %true
  // CHECK-NEXT: scf.condition(%[[AGAIN]])
  mx.bulk_load %x, %y[%r, %c] to %shared offsets = [0, 8192] barrier = 24576 thread %t box = [8, 256] groups = 2 group_stride = 32 element_bytes = [2, 4] : !llvm.ptr, !llvm.ptr -> !llvm.ptr<3>
  llvm.return
}
