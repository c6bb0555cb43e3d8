// Tiles by number: every so many-th is a cluster's; slices of one tile in turn, batches, then supergroups of 8 rows.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// CHECK-LABEL: llvm.func @tiles
// What is divided by has its inverse computed once: tiles of a supergroup, rows of the last one, tiles of a batch.
// CHECK: %[[GROUP:.*]] = arith.muli %arg2, %c8_i32
// CHECK-NEXT: %[[GROUP_INVERSE:.*]] = arith.divui %c-1_i32, %[[GROUP]]
// CHECK: %[[REST:.*]] = arith.remui %arg1, %c8_i32
// CHECK: %[[BATCH:.*]] = arith.muli %arg1, %arg2
// CHECK-NEXT: %[[BATCH_INVERSE:.*]] = arith.divui %c-1_i32, %[[BATCH]]
// CHECK-NEXT: %[[ALL:.*]] = arith.muli %[[BATCH]], %arg3
// CHECK-NEXT: %[[COUNT:.*]] = arith.muli %[[ALL]], %c3_i32
// Two CTAs have neighbouring tiles: cluster c is CTAs 2 c and 2 c + 1.
// CHECK: %[[CTA:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK-NEXT: %[[CTAS:.*]] = nvvm.read.ptx.sreg.nctaid.x
// CHECK-NEXT: %[[CLUSTER:.*]] = arith.shrui %[[CTA]], %c1_i32
// CHECK-NEXT: %[[CLUSTERS:.*]] = arith.shrui %[[CTAS]], %c1_i32
// CHECK-NEXT: scf.for %[[I:.*]] = %[[CLUSTER]] to %[[COUNT]] step %[[CLUSTERS]]
// CHECK-NEXT: %[[SLICE:.*]] = arith.remui %[[I]], %c3_i32
// CHECK-NEXT: %[[TILE:.*]] = arith.divui %[[I]], %c3_i32
// The estimate of the batch may be one below.
// CHECK-NEXT: %{{.*}}, %[[ESTIMATE:.*]] = arith.mului_extended %[[TILE]], %[[BATCH_INVERSE]]
// CHECK: %[[ABOVE:.*]] = arith.addi %[[ESTIMATE]], %c1_i32
// CHECK-NEXT: %[[IN:.*]] = arith.select %{{.*}}, %[[ABOVE]], %[[ESTIMATE]]
// CHECK: arith.mului_extended %{{.*}}, %[[GROUP_INVERSE]]
// CHECK: llvm.store volatile %[[IN]]
// CHECK-NEXT: llvm.store volatile %[[ROW:.*]], %arg0
// CHECK-NEXT: llvm.store volatile %[[COLUMN:.*]], %arg0
// CHECK-NEXT: llvm.store volatile %[[SLICE]]
llvm.func @tiles(%g: !llvm.ptr<1>, %rows: i32, %columns: i32, %batches: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
  mx.pipeline warps = 1 tensor_columns = 0 allocating_warp = 0 sharing
  mx.role "work" first = 0 warps = 1 {
    mx.tiles %rows x %columns x %batches of %rows by %columns tile = 128 x 128 x 128 schedule = #mx.static_schedule<supergroup = 8, slices = 3> {
    ^bb0(%tile: !mx.tile):
      %group, %batch, %row, %column, %end, %scale_row, %k_begin, %k_end, %slice = mx.tile_fields %tile
      llvm.store volatile %batch, %g : i32, !llvm.ptr<1>
      llvm.store volatile %row, %g : i32, !llvm.ptr<1>
      llvm.store volatile %column, %g : i32, !llvm.ptr<1>
      llvm.store volatile %slice, %g : i32, !llvm.ptr<1>
    }
  }
  llvm.return
}
