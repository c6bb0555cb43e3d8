// A stage a step: wait, announce and copy by an elected lane; wait, give back; the phase flips where the stage wraps.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// CHECK-LABEL: llvm.func @phases
// CHECK: %[[USE_PHASE:.*]] = llvm.alloca %{{.*}} {mx.variable = "use codes use phase"}
// CHECK: %[[FILL_PHASE:.*]] = llvm.alloca %{{.*}} {mx.variable = "fill codes load phase"}
// CHECK: %[[FILL_STAGE:.*]] = llvm.alloca %{{.*}} {mx.variable = "fill codes load stage"}
// Two stages, so two full barriers of one arrival and two empty ones of two warps.
// CHECK: nvvm.griddepcontrol launch_dependents
// CHECK: %[[WARP:.*]] = nvvm.shfl.sync idx
// CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK-NEXT: nvvm.mbarrier.init %{{.*}}, %c2_i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK-NEXT: nvvm.mbarrier.init %{{.*}}, %c2_i32
// CHECK-NEXT: nvvm.fence.mbarrier.init
// CHECK: nvvm.barrier{{$}}
// CHECK-NEXT: nvvm.griddepcontrol wait
// Who fills waits for the other parity: the stage is empty at first.
// CHECK: %[[LOAD:.*]] = arith.cmpi ult, %[[WARP]], %c1_i32
// CHECK: scf.if %[[LOAD]]
// CHECK: %[[LANE:.*]] = nvvm.elect.sync
// CHECK: %[[PHASE:.*]] = llvm.load %[[FILL_PHASE]]
// CHECK: %[[OTHER:.*]] = arith.xori %[[PHASE]], %c1_i32
// CHECK: nvvm.mbarrier.try_wait %[[EMPTY:.*]], %[[OTHER]]
// CHECK: scf.if %[[LANE]] {
// CHECK-NEXT: %[[FULL:.*]] = llvm.getelementptr %[[EMPTY]][-16]
// CHECK-NEXT: nvvm.mbarrier.arrive.expect_tx %[[FULL]], %c1024_i32
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %arg0, %{{.*}}, box[%arg2, %arg2] {isCTAOnly = true}
// CHECK: %[[NEXT:.*]] = arith.addi %{{.*}}, %c1_i32
// CHECK: %[[WRAPS:.*]] = arith.cmpi eq, %[[NEXT]], %c2_i32
// CHECK: %[[STAGE:.*]] = arith.select %[[WRAPS]], %c0_i32, %[[NEXT]]
// CHECK: %[[FLIPPED:.*]] = arith.xori %[[BEFORE:.*]], %c1_i32
// CHECK-NEXT: %[[NEW:.*]] = arith.select %[[WRAPS]], %[[FLIPPED]], %[[BEFORE]]
// CHECK-NEXT: llvm.store %[[NEW]], %[[FILL_PHASE]]
// CHECK-NEXT: llvm.store %[[STAGE]], %[[FILL_STAGE]]
// Who uses waits for its own, and gives back by one lane a warp.
// CHECK: %[[FROM:.*]] = arith.subi %[[WARP]], %c2_i32
// CHECK-NEXT: arith.cmpi ult, %[[FROM]], %c2_i32
// CHECK: %[[PHASE:.*]] = llvm.load %[[USE_PHASE]]
// CHECK: %[[FULL:.*]] = llvm.getelementptr %[[EMPTY:.*]][-16]
// CHECK: nvvm.mbarrier.try_wait %[[FULL]], %[[PHASE]]
// CHECK: nvvm.bar.warp.sync
// CHECK-NEXT: %[[LANE:.*]] = nvvm.elect.sync
// CHECK-NEXT: scf.if %[[LANE]] {
// CHECK-NEXT: nvvm.mbarrier.arrive %[[EMPTY]]
// CHECK: llvm.store %{{.*}}, %[[USE_PHASE]]
// CHECK: nvvm.barrier{{$}}
// CHECK-NEXT: llvm.return
llvm.func @phases(%map: !llvm.ptr, %g: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  mx.pipeline warps = 4 tensor_columns = 0 allocating_warp = 0
  %ring = mx.ring "codes" stages = 2 parts = [1024]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %ring {
    ^bb0(%stage: i32):
      mx.copy_box %map[%n, %n] to %ring[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "use" first = 2 warps = 2 {
    mx.use %ring {
    ^bb0(%stage: i32):
      %at = mx.stage_address %ring[%stage] part = 0 : !llvm.ptr<3>
    }
  }
  llvm.return
}
