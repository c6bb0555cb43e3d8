// Tiles of groups by cluster launch control: numbers mostly rise; one that lies before the window of 32 groups is looked for from the
// first group on, and one that no group has is passed over.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// CHECK-LABEL: llvm.func @groups
// Who works reads records, and nothing of answers or ends.
// CHECK: scf.while
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-NOT: shfl
// CHECK: "red.release.gpu.global.add.u32 [$0], 1;"
// Who hands out begins with the cluster's own number before all groups: no lane, no tiles.
// CHECK: scf.while (%{{.*}} = %c0_i32, %{{.*}} = %c0_i32, %[[PHASE:.*]] = %c0_i32, %[[NUMBER:.*]] = %{{.*}}, %[[LANE:.*]] = %c32_i32, %[[BEFORE:.*]] = %c0_i32, %[[FIRST:.*]] = %c-32_i32,
// CHECK: %[[BACK:.*]] = arith.cmpi ult, %[[NUMBER]], %[[BEFORE]]
// CHECK: arith.select %[[BACK]], %c0_i32, %[[BEFORE]]
// CHECK: arith.select %[[BACK]], %c-32_i32, %[[FIRST]]
// CHECK: nvvm.vote.sync ballot
// On while no lane has it and there are more groups.
// CHECK: %[[FOUND:.*]]:6 = scf.while
// CHECK: llvm.load %{{.*}} -> i32
// CHECK-COUNT-6: nvvm.shfl.sync up
// CHECK: %[[HAS:.*]] = arith.cmpi ne, %[[FOUND]]#0, %c32_i32
// CHECK: scf.if %[[HAS]] {
// CHECK-COUNT-3: nvvm.shfl.sync idx
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK: nvvm.mbarrier.arrive %
// The next stage only where there was a record; then the question.
// CHECK: arith.select %[[HAS]],
// CHECK: arith.select %[[HAS]],
// CHECK: nvvm.mbarrier.try_wait
// CHECK: nvvm.clusterlaunchcontrol.try.cancel
// CHECK: arith.cmpi ne, %{{.*}}, %c-1_i32
// CHECK: scf.condition
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK: nvvm.mbarrier.arrive %
llvm.func @groups(%map: !llvm.ptr, %g: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  mx.pipeline warps = 4 tensor_columns = 0 allocating_warp = 0
  %answers = mx.ring "answers" stages = 1 once parts = [16]
  %queue = mx.ring "queue" stages = 2 parts = [32]
  mx.role "work" first = 0 warps = 1 {
    mx.tiles %n x %n x %n of %n by %n tile = 128 x 128 x 128 schedule = #mx.group_schedule<supergroup = 8, align = 128> groups %g : !llvm.ptr<1> from %queue {
    ^bb0(%tile: !mx.tile):
      mx.publish %g : !llvm.ptr<1>
    }
  }
  mx.role "schedule" first = 1 warps = 1 {
    mx.hand_out %n x %n x %n of %n by %n tile = 128 x 128 x 128 schedule = #mx.group_schedule<supergroup = 8, align = 128> groups %g : !llvm.ptr<1> by clusters %answers to %queue
  }
  llvm.return
}
