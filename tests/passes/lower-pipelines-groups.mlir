// Tiles of groups: 32 ends at a time, sums over the lanes, and of each tile the lane that has its group.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// CHECK-LABEL: llvm.func @groups
// CHECK: %[[WINDOWS:.*]]:2 = scf.for %[[FIRST:.*]] = %c0_i32 to %{{.*}} step %c32_i32 iter_args(%[[MINE:.*]] = %{{.*}}, %[[BEFORE:.*]] = %c0_i32)
// CHECK: %[[END:.*]] = llvm.load %{{.*}} -> i32
// CHECK: arith.maxsi %[[END]], %c0_i32
// CHECK-NEXT: arith.minui
// CHECK: nvvm.shfl.sync up
// CHECK: arith.select %{{.*}}, %[[BEFORE]],
// The next multiple of 128 rows.
// CHECK: arith.addi %{{.*}}, %c127_i32
// CHECK: arith.andi %{{.*}}, %c-128_i32
// CHECK-COUNT-5: nvvm.shfl.sync up
// How many of the window's tiles are left from this cluster's on.
// CHECK: %[[ALL:.*]] = nvvm.shfl.sync idx
// CHECK: %[[LEFT:.*]] = arith.subi %[[ALL]], %[[MINE]]
// CHECK: scf.while (%[[HERE:.*]] = %[[LEFT]])
// CHECK: arith.cmpi sgt, %[[HERE]], %c0_i32
// CHECK: nvvm.shfl.sync idx
// CHECK: %[[TILE:.*]] = arith.subi %{{.*}}, %{{.*}}
// CHECK: arith.cmpi ule, %{{.*}}, %[[TILE]]
// CHECK: nvvm.vote.sync ballot
// CHECK: llvm.intr.ctpop
// CHECK-COUNT-3: nvvm.shfl.sync idx
// CHECK: "red.release.gpu.global.add.u32 [$0], 1;"
llvm.func @groups(%map: !llvm.ptr, %g: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  mx.pipeline warps = 4 tensor_columns = 0 allocating_warp = 0
  mx.role "work" first = 0 warps = 1 {
    mx.tiles %n x %n x %n of %n by %n tile = 128 x 128 x 128 schedule = #mx.group_schedule<supergroup = 8, align = 128> groups %g : !llvm.ptr<1> {
    ^bb0(%tile: !mx.tile):
      %group, %batch, %row, %column, %end, %scale_row, %k_begin, %k_end, %slice = mx.tile_fields %tile
      mx.publish %g : !llvm.ptr<1>
    }
  }
  llvm.return
}
