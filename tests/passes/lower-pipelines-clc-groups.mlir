// Tiles of groups by cluster launch control: a number's window of 32 groups is looked for, then tiles are worked on as long as their
// numbers are in it; a number that no group has is passed over.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// CHECK-LABEL: llvm.func @groups
// In front of all groups: no lane, no tiles.
// CHECK: scf.while (%[[TILE:.*]] = %{{.*}}, %[[STAGE:.*]] = %c0_i32, %[[PHASE:.*]] = %c0_i32, %[[LANE:.*]] = %c32_i32, %[[BEFORE:.*]] = %c0_i32, %[[FIRST:.*]] = %c-32_i32, %{{.*}} = %c0_i32, %{{.*}} = %c0_i32, %[[UPTO:.*]] = %c0_i32)
// Once more while no lane has the tile, and it is in front of the window or there are more groups.
// CHECK: %[[FOUND:.*]]:6 = scf.while (%[[LANE_HERE:.*]] = %[[LANE]], %[[BEFORE_HERE:.*]] = %[[BEFORE]], %[[FIRST_HERE:.*]] = %[[FIRST]], %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %[[UPTO_HERE:.*]] = %[[UPTO]])
// CHECK-DAG: %[[NEXT:.*]] = arith.addi %[[FIRST_HERE]], %c32_i32
// CHECK-DAG: %[[MORE:.*]] = arith.cmpi ult, %[[NEXT]], %{{.*}}
// CHECK-DAG: %[[NONE:.*]] = arith.cmpi eq, %[[LANE_HERE]], %c32_i32
// CHECK-DAG: %[[IN_FRONT:.*]] = arith.cmpi ult, %[[TILE]], %[[BEFORE_HERE]]
// CHECK-DAG: %[[EITHER:.*]] = arith.ori %[[IN_FRONT]], %[[MORE]]
// CHECK: %[[ON:.*]] = arith.andi %[[NONE]], %[[EITHER]]
// CHECK: scf.condition(%[[ON]])
// CHECK: %[[BACK:.*]] = arith.cmpi ult, %[[TILE]],
// CHECK: arith.select %[[BACK]], %c0_i32,
// CHECK: arith.select %[[BACK]], %c0_i32,
// CHECK: arith.select %[[BACK]], %c0_i32,
// CHECK: llvm.load %{{.*}} -> i32
// CHECK-COUNT-6: nvvm.shfl.sync up
// CHECK: %[[THERE:.*]] = arith.subi %[[TILE]],
// CHECK: %[[PASSED:.*]] = arith.cmpi ule, %{{.*}}, %[[THERE]]
// CHECK: %[[LANES:.*]] = nvvm.vote.sync ballot %c-1_i32, %[[PASSED]]
// CHECK: %[[LANE_THERE:.*]] = llvm.intr.ctpop(%[[LANES]])
// CHECK: scf.yield %[[LANE_THERE]],
// CHECK: %[[HAS:.*]] = arith.cmpi ult, %[[FOUND]]#0, %c32_i32
// CHECK: %[[RAN:.*]]:4 = scf.if %[[HAS]]
// CHECK: scf.while (%{{.*}} = %[[STAGE]], %{{.*}} = %[[PHASE]], %{{.*}} = %[[FOUND]]#0)
// CHECK-COUNT-3: nvvm.shfl.sync idx
// CHECK: "red.release.gpu.global.add.u32 [$0], 1;"
// An answer is read, given back, and if it took a cluster over asked which, and for its lane.
// CHECK: nvvm.mbarrier.try_wait
// CHECK: %[[ANSWER:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> i128
// CHECK-NEXT: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT: nvvm.bar.warp.sync
// CHECK: nvvm.mbarrier.arrive %
// CHECK: %[[TOOK:.*]] = nvvm.clusterlaunchcontrol.query.cancel query = is_canceled, %[[ANSWER]]
// CHECK-NEXT: %[[THEN:.*]]:2 = scf.if %[[TOOK]] -> (i32, i32) {
// CHECK-NEXT: %[[CTA:.*]] = nvvm.clusterlaunchcontrol.query.cancel query = get_first_cta_id_x, %[[ANSWER]]
// CHECK-NEXT: %[[WITHIN:.*]] = arith.subi %[[CTA]], %[[FOUND]]#1
// CHECK-NEXT: arith.cmpi ule, %[[FOUND]]#5, %[[WITHIN]]
// CHECK: %[[THEN_LANE:.*]] = llvm.intr.ctpop
// CHECK-NEXT: scf.yield %[[CTA]], %[[THEN_LANE]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %c-1_i32, %c32_i32
// CHECK: %[[HAS_NEXT:.*]] = arith.cmpi ult, %[[THEN]]#1, %c32_i32
// CHECK: scf.condition(%[[HAS_NEXT]])
// The same of a number that no group has.
// CHECK: } else {
// CHECK: nvvm.mbarrier.try_wait
// CHECK: nvvm.mbarrier.arrive %
// CHECK: nvvm.clusterlaunchcontrol.query.cancel query = is_canceled
// CHECK: %[[MORE_NUMBERS:.*]] = arith.cmpi ne, %[[RAN]]#0, %c-1_i32
// CHECK: scf.condition(%[[MORE_NUMBERS]])
// CHECK: nvvm.clusterlaunchcontrol.try.cancel
llvm.func @groups(%map: !llvm.ptr, %g: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  mx.pipeline warps = 4 tensor_columns = 0 allocating_warp = 0
  %queue = mx.ring "queue" stages = 2 parts = [16]
  mx.role "work" first = 0 warps = 1 {
    mx.tiles %n x %n x %n of %n by %n tile = 128 x 128 x 128 schedule = #mx.group_schedule<supergroup = 8, align = 128> groups %g : !llvm.ptr<1> from %queue {
    ^bb0(%tile: !mx.tile):
      %group, %batch, %row, %column, %end, %scale_row, %k_begin, %k_end, %slice = mx.tile_fields %tile
      mx.publish %g : !llvm.ptr<1>
    }
  }
  mx.role "schedule" first = 1 warps = 1 {
    mx.take_over %queue
  }
  llvm.return
}
