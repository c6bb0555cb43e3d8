// A step of a kernel: thread 0 makes the barrier and starts the copies, all threads meet, each waits for the first phase. Nothing
// is given back, nobody meets at the end, and the kernel says when the next grid may start. What no earlier
// grid gives is there before the wait for it.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.' --implicit-check-not=nvvm.griddepcontrol --implicit-check-not=nvvm.barrier --implicit-check-not=nvvm.elect --implicit-check-not=nvvm.mbarrier

// CHECK-LABEL: llvm.func @boxes
llvm.func @boxes(%memory: !llvm.ptr<3>, %x: !llvm.ptr, %y: !llvm.ptr, %row: i32, %column: i32, %work: i1, %to: !llvm.ptr<1>) {
  // CHECK: scf.if %arg5 {
  scf.if %work {
    // CHECK-NEXT: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
    mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
    %ring = mx.ring "inputs" stages = 1 once parts = [8192, 16384] alignment = 128
    // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[THREAD]], %c0_i32
    // CHECK-NEXT: scf.if %[[FIRST]] {
    // CHECK-NEXT: %[[BARRIER:.*]] = llvm.getelementptr %arg0[24576]
    // CHECK-NEXT: nvvm.mbarrier.init %[[BARRIER]], %c1_i32
    // CHECK-NEXT: nvvm.fence.mbarrier.init
    // CHECK-NEXT: nvvm.mbarrier.arrive.expect_tx %[[BARRIER]], %c24576_i32
    // CHECK-NEXT: bulk.tensor.shared.cluster.global %arg0, %arg1, %[[BARRIER]], box[%arg4, %arg3] {isCTAOnly = true}
    // CHECK-NEXT: %[[LATER:.*]] = llvm.getelementptr %arg0[4096]
    // CHECK-NEXT: bulk.tensor.shared.cluster.global %[[LATER]], %arg1, %[[BARRIER]], box[%arg4, %arg3]
    // CHECK-NEXT: %[[SECOND:.*]] = llvm.getelementptr %arg0[8192]
    // CHECK-NEXT: bulk.tensor.shared.cluster.global %[[SECOND]], %arg2, %[[BARRIER]], box[%arg4, %arg3]
    // CHECK-NEXT: {{^ *}}}
    mx.fill %ring {
    ^bb0(%stage: i32):
      %offset = arith.constant 4096 : i32
      mx.copy_box %x[%column, %row] to %ring[%stage] part = 0 bytes = 4096 : !llvm.ptr
      mx.copy_box %x[%column, %row] to %ring[%stage] part = 0 offset %offset bytes = 4096 : !llvm.ptr
      mx.copy_box %y[%column, %row] to %ring[%stage] part = 1 bytes = 16384 : !llvm.ptr
    }
    // CHECK-NEXT: llvm.store %c1_i32, %arg6
    %one = arith.constant 1 : i32
    llvm.store %one, %to : i32, !llvm.ptr<1>
    // CHECK-NEXT: nvvm.barrier
    // CHECK-NEXT: %[[FULL:.*]] = llvm.getelementptr %arg0[24576]
    // CHECK-NEXT: scf.while
    // CHECK-NEXT: nvvm.mbarrier.try_wait %[[FULL]], %c0_i32
    // CHECK: %[[AT:.*]] = llvm.getelementptr %arg0[8192]
    // CHECK-NEXT: llvm.load %[[AT]]
    mx.use %ring {
    ^bb0(%stage: i32):
      %at = mx.stage_address %ring[%stage] part = 1 : !llvm.ptr<3>
      %word = llvm.load %at : !llvm.ptr<3> -> i32
      llvm.store %word, %to : i32, !llvm.ptr<1>
    }
    // CHECK-NEXT: llvm.store
    // CHECK: nvvm.mbarrier.try_wait %[[FULL]], %c0_i32
    mx.use %ring {
    ^bb0(%stage: i32):
    }
  }
  // CHECK: llvm.return
  llvm.return
}

// CHECK-LABEL: llvm.func @behind_a_wait
llvm.func @behind_a_wait(%x: !llvm.ptr, %row: i32, %column: i32, %work: i1, %hasRows: i1) {
  // CHECK: scf.if %arg3 {
  scf.if %work {
    // CHECK: %[[MEMORY:.*]] = mx.shared_memory
    // CHECK: scf.if
    // CHECK: nvvm.mbarrier.init
    // CHECK-NEXT: nvvm.fence.mbarrier.init
    // CHECK-NEXT: nvvm.prefetch tensormap in_param_space, %arg0
    // CHECK-NEXT: {{^ *}}}
    // CHECK-NEXT: nvvm.griddepcontrol wait
    nvvm.griddepcontrol wait
    // CHECK-NEXT: scf.if %arg4 {
    scf.if %hasRows {
      // CHECK: scf.if
      // CHECK: nvvm.mbarrier.arrive.expect_tx
      // CHECK-NEXT: bulk.tensor.shared.cluster.global %[[MEMORY]], %arg0
      // CHECK-NEXT: {{^ *}}}
      // CHECK-NEXT: nvvm.barrier
      %memory = mx.shared_memory bytes = 8208 alignment = 128 : !llvm.ptr<3>
      mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
      %ring = mx.ring "inputs" stages = 1 once parts = [8192] alignment = 128
      mx.fill %ring {
      ^bb0(%stage: i32):
        mx.copy_box %x[%column, %row] to %ring[%stage] part = 0 bytes = 8192 : !llvm.ptr
      }
      // CHECK: nvvm.mbarrier.try_wait
      mx.use %ring {
      ^bb0(%stage: i32):
      }
    }
  }
  llvm.return
}
