// Groups of K: every CTA orders them before its roles begin; clusters take tiles forth and back, and a tile's record says its group.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// CHECK-LABEL: llvm.func @k_groups
// CHECK-SAME: %[[ENDS:[^:]*]]: !llvm.ptr<1>, %[[ORDERS:[^:]*]]: !llvm.ptr<1>, %[[N:[^:]*]]: i32
// CHECK: nvvm.read.ptx.sreg.ctaid.x
// CHECK: %[[ORDER:.*]] = llvm.getelementptr %[[ORDERS]]
// CHECK: scf.for
// CHECK: llvm.getelementptr %[[ENDS]]
// A record of the group at its rank.
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
// CHECK: nvvm.barrier
// Tile c, then 2 C - (2 c + 1) further, then what is left of 2 C.
// CHECK: %[[CLUSTERS:.*]] = nvvm.read.ptx.sreg.nctaid.x
// CHECK: %[[BOTH:.*]] = arith.muli %[[CLUSTERS]], %c2_i32
// CHECK: %[[FIRST:.*]] = arith.subi %[[BOTH]], %{{.*}}
// CHECK: scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %[[FIRST]])
// CHECK: ^bb0(%[[TILE:.*]]: i32, %[[DISTANCE:.*]]: i32):
// CHECK: arith.addi %[[TILE]], %[[DISTANCE]]
// CHECK: arith.subi %[[BOTH]], %[[DISTANCE]]
// CHECK: %[[RECORD:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK: %[[GROUP:.*]] = llvm.extractelement %[[RECORD]][%c0_i32 : i32]
// CHECK: llvm.getelementptr %[[ENDS]][%[[GROUP]]]
llvm.func @k_groups(%ends: !llvm.ptr<1>, %orders: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  mx.pipeline warps = 4 tensor_columns = 0 allocating_warp = 0
  %order = mx.order_groups %n by %ends of %n slab = 128 to %orders : !llvm.ptr<1>, !llvm.ptr<1> -> !llvm.ptr<1>
  mx.role "work" first = 0 warps = 1 {
    mx.tiles %n x %n x %n of %n by %n tile = 128 x 128 x 128 schedule = #mx.k_group_schedule<supergroup = 8> groups %order : !llvm.ptr<1> {
    ^bb0(%tile: !mx.tile):
      %group, %batch, %row, %column, %end, %scale_row, %k_begin, %k_end, %slice = mx.tile_fields %tile
      %at = llvm.getelementptr %ends[%batch] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      mx.publish %at : !llvm.ptr<1>
    }
  }
  llvm.return
}
