// Tiles that a counter hands out: a record a tile through shared memory, until one says that there are none.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// CHECK-LABEL: llvm.func @alone
// One lane makes a record full, a warp empties it.
// CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK-NEXT: nvvm.mbarrier.init %{{.*}}, %c1_i32
// Who works waits for a record, reads it and gives it back, then works on its tile.
// CHECK: scf.while
// CHECK: nvvm.mbarrier.try_wait
// CHECK: %[[RECORD:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK: nvvm.bar.warp.sync
// CHECK: nvvm.mbarrier.arrive %
// CHECK: %[[IS:.*]] = arith.cmpi ne, %{{.*}}, %c-1_i32
// CHECK: scf.condition(%[[IS]])
// CHECK: "red.release.gpu.global.add.u32 [$0], 1;"
// Who hands out counts when there is room, and leaves a zero where nobody counts any more.
// CHECK: scf.while
// CHECK: nvvm.mbarrier.try_wait
// CHECK: "atom.relaxed.gpu.global.add.u32 $0, [$1], 1;"
// CHECK: scf.condition
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK: nvvm.mbarrier.arrive %
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK: nvvm.mbarrier.arrive %
// CHECK: "atom.relaxed.gpu.global.exch.b32 $0, [$1], 0;"
llvm.func @alone(%g: !llvm.ptr<1>, %counter: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  mx.pipeline warps = 4
  %queue = mx.ring "queue" stages = 1 parts = [32]
  mx.role "work" first = 0 warps = 1 {
    mx.tiles %n x %n x %n of %n by %n tile = 128 x 128 x 128 schedule = #mx.static_schedule<supergroup = 8, slices = 1> from %queue {
    ^bb0(%tile: !mx.tile):
      mx.publish %g : !llvm.ptr<1>
    }
  }
  mx.role "schedule" first = 1 warps = 1 {
    mx.hand_out %n x %n x %n of %n by %n tile = 128 x 128 x 128 schedule = #mx.static_schedule<supergroup = 8, slices = 1> by %counter : !llvm.ptr<1> to %queue
  }
  llvm.return
}

// Two CTAs: records of eight words, where groups begin at any row, are announced and stored in both.
// CHECK-LABEL: llvm.func @both
// CHECK: scf.while
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK: "atom.relaxed.gpu.global.add.u32
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c32_i32
// CHECK: nvvm.mapa
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c32_i32
// CHECK-COUNT-4: st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c32_i32
// CHECK-COUNT-4: st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32
llvm.func @both(%g: !llvm.ptr<1>, %ends: !llvm.ptr<1>, %counter: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  mx.pipeline warps = 4 sharing
  %queue = mx.ring "queue" stages = 1 parts = [32]
  mx.role "work" first = 0 warps = 1 {
    mx.tiles %n x %n x %n of %n by %n tile = 128 x 128 x 128 schedule = #mx.group_schedule<supergroup = 8, align = 1> groups %ends : !llvm.ptr<1> from %queue {
    ^bb0(%tile: !mx.tile):
      mx.publish %g : !llvm.ptr<1>
    }
  }
  mx.role "schedule" first = 1 warps = 1 leader {
    mx.hand_out %n x %n x %n of %n by %n tile = 128 x 128 x 128 schedule = #mx.group_schedule<supergroup = 8, align = 1> groups %ends : !llvm.ptr<1> by %counter : !llvm.ptr<1> to %queue
  }
  llvm.return
}
