// Two CTAs share stages: a copy goes into both, and a lane of a user's warp gives back to each.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// CHECK-LABEL: llvm.func @sharing
// CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %c31_i32
// 2 warps of 2 CTAs use the ring.
// CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK-NEXT: nvvm.mbarrier.init %{{.*}}, %c4_i32
// CHECK: nvvm.cluster.arrive {aligned}
// Each CTA's copies write 1024 bytes here.
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c2048_i32
// CHECK: bulk.tensor.shared.cluster.global %{{.*}}, %arg0, %{{.*}}, box[%arg2, %arg2] multicast_mask = %c3_i16 : !llvm.ptr<7>
// CHECK: nvvm.mbarrier.try_wait
// All lanes of the warp have read when two arrive.
// CHECK: nvvm.bar.warp.sync
// CHECK-NEXT: %[[TWO:.*]] = arith.cmpi ult, %[[LANE]], %c2_i32
// CHECK-NEXT: scf.if %[[TWO]]
// CHECK: mapa.shared::cluster.u32 there, $0, $1;\0Ambarrier.arrive.shared::cluster.b64 _, [there];{{.*}} %{{.*}}, %[[LANE]]
// CHECK-NOT: nvvm.mbarrier.arrive
// CHECK: nvvm.cluster.wait {aligned}
// CHECK-NEXT: llvm.return
llvm.func @sharing(%map: !llvm.ptr, %g: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  mx.pipeline warps = 4 tensor_columns = 0 allocating_warp = 0 sharing
  %ring = mx.ring "codes" stages = 2 parts = [1024]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %ring {
    ^bb0(%stage: i32):
      mx.copy_box %map[%n, %n] to %ring[%stage] part = 0 bytes = 1024 multicast : !llvm.ptr
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
