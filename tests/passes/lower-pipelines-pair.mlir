// A pair: the leader announces the bytes of both CTAs, copies of both complete there, and users arrive there.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// CHECK-LABEL: llvm.func @pair
// CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
// The leader's shared memory is this one's with a bit of the address cleared.
// CHECK: %[[LEADERS:.*]] = arith.andi %{{.*}}, %c-16777217_i32
// CHECK-NEXT: %[[LEADER:.*]] = llvm.inttoptr %[[LEADERS]]
// 2 warps of 2 CTAs use the ring.
// CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK-NEXT: nvvm.mbarrier.init %{{.*}}, %c4_i32
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK: %[[ELECTED:.*]] = nvvm.elect.sync
// CHECK-NEXT: %[[LOW:.*]] = arith.andi %[[RANK]], %c1_i32
// CHECK-NEXT: %[[IS_EVEN:.*]] = arith.cmpi eq, %[[LOW]], %c0_i32
// CHECK-NEXT: %[[ANNOUNCER:.*]] = arith.andi %[[ELECTED]], %[[IS_EVEN]]
// CHECK: nvvm.mbarrier.try_wait
// CHECK: scf.if %[[ANNOUNCER]]
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c2048_i32
// CHECK: llvm.ptrtoint %[[LEADER]]
// CHECK: bulk.tensor.shared.cluster.global %{{.*}}, %arg0, %{{.*}}, box[%arg2, %arg2] {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<7>
// A user waits at its own barrier and gives back at the leader's.
// CHECK: nvvm.mbarrier.try_wait
// CHECK: llvm.ptrtoint %[[LEADER]]
// CHECK: nvvm.bar.warp.sync
// CHECK-NEXT: nvvm.elect.sync
// CHECK: nvvm.mbarrier.arrive %{{.*}} : !llvm.ptr<7>
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK-NEXT: llvm.return
llvm.func @pair(%map: !llvm.ptr, %g: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  mx.pipeline warps = 4 tensor_columns = 0 allocating_warp = 0 pair
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
