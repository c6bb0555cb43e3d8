// Tiles by cluster launch control: 16 bytes an answer, asked until it took nothing over.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// CHECK-LABEL: llvm.func @queue
// An answer's 16 bytes fill, a warp empties.
// CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK-NEXT: nvvm.mbarrier.init %{{.*}}, %c1_i32
// Who works does so before it waits for an answer, reads it, and gives it back; once more if it took a cluster over.
// CHECK: scf.while
// CHECK: "red.release.gpu.global.add.u32 [$0], 1;"
// CHECK: nvvm.mbarrier.try_wait
// CHECK: %[[ANSWER:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> i128
// CHECK-NEXT: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT: nvvm.bar.warp.sync
// CHECK: nvvm.mbarrier.arrive %
// CHECK: %[[TOOK:.*]] = nvvm.clusterlaunchcontrol.query.cancel query = is_canceled, %[[ANSWER]]
// CHECK-NEXT: scf.condition(%[[TOOK]])
// CHECK: nvvm.clusterlaunchcontrol.query.cancel query = get_first_cta_id_x
// CHECK: nvvm.elect.sync
// CHECK: nvvm.clusterlaunchcontrol.try.cancel
llvm.func @queue(%map: !llvm.ptr, %g: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  mx.pipeline warps = 4 tensor_columns = 0 allocating_warp = 0
  %queue = mx.ring "queue" stages = 1 parts = [16]
  mx.role "work" first = 0 warps = 1 {
    mx.tiles %n x %n x %n of %n by %n tile = 128 x 128 x 128 schedule = #mx.clc_schedule<supergroup = 8, slices = 1> from %queue {
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
