// Rows in groups: every role walks them; a's boxes end with their group, b's have the group's coordinate; the grid follows from the
// capacity and the number of groups.
// RUN: mxc-opt --mx-lower-kernels=target=sm_100a --canonicalize --cse %s | FileCheck %s
// RUN: mxc compile %s --target=sm_100a --emit=ptx -o %t.ptx
// RUN: mxc inspect --all %t.ptx | FileCheck %s --check-prefix=GRID
#scales = #mx.scale_layout<tcgen05>

// GRID: grid (2 * min((128 * ceildiv(M, 128) + G * 128) / 256 * min(min(M, G), 1) * ceildiv(N, 256), SMs / 2), 1, 1)
// GRID: grid (2 * min((M + G * 255) / 256 * min(min(M, G), 1) * ceildiv(N, 256), SMs / 2), 1, 1)

// CHECK-LABEL: llvm.func @aligned(
// CHECK: mx.role "load" first = 5 warps = 1 {
// CHECK: mx.tiles {{.*}} schedule = #mx.group_schedule<supergroup = 8, align = 128> groups %{{.*}} : !llvm.ptr<1> {
// CHECK: %group, %{{.*}}, %row, %{{.*}}, %rows, %scale_row, %{{.*}} = mx.tile_fields
// CHECK: %[[MINE:.*]] = arith.addi %row,
// CHECK: %[[ABOVE:.*]] = arith.subi %[[MINE]], %rows
// CHECK: %[[EDGE:.*]] = arith.addi %[[ABOVE]], %c1073741824_i32
// CHECK: mx.copy_box %{{.*}}[%{{.*}}, %[[EDGE]], %c1073741824_i32, %rows] {{.*}} part = 0
// CHECK: mx.copy_box %{{.*}}[%{{.*}}, %{{.*}}, %group] {{.*}} part = 1
// CHECK: mx.role "multiply"
// CHECK: mx.tiles {{.*}} groups %
// CHECK: mx.role "store"
// CHECK: mx.tiles {{.*}} groups %
// CHECK: mx.store_box
mx.kernel @aligned(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?x?xf8E4M3FN>,
                   %sb: memref<?x?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %c: memref<?x?xbf16>) {
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?x?xf8E4M3FN>, memref<?x?x?xf8E8M0FNU, #scales>)
      groups(%ends : memref<?xi32>) outs(%c : memref<?x?xbf16>) tiles = [#mx.matmul_tile<m = 256, n = 256, stages = 5, ctas = 2, buffers = 1>]
}

// CHECK-LABEL: llvm.func @compact(
// CHECK: mx.tiles {{.*}} schedule = #mx.group_schedule<supergroup = 8, align = 1> groups
mx.kernel @compact(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?x?xf8E4M3FN>,
                   %sb: memref<?x?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %c: memref<?x?xbf16>) {
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?x?xf8E4M3FN>, memref<?x?x?xf8E8M0FNU, #scales>)
      groups(%ends : memref<?xi32>) outs(%c : memref<?x?xbf16>) align = 1 tiles = [#mx.matmul_tile<m = 256, n = 256, stages = 5, ctas = 2, buffers = 1>]
}

// By cluster launch control: a cluster for every tile that there may be, and the ring that the schedule role fills.
// GRID: grid (2 * ((128 * ceildiv(M, 128) + G * 128) / 256 * min(min(M, G), 1) * ceildiv(N, 64)), 1, 1)
// CHECK-LABEL: llvm.func @taken_over(
// CHECK: %[[ANSWERS:.*]] = mx.ring "answers" stages = 1 once parts = [16]
// CHECK: %[[TILES:.*]] = mx.ring "tiles" stages = 3 parts = [32]
// CHECK: mx.role "load"
// CHECK: mx.tiles {{.*}} schedule = #mx.group_schedule<supergroup = 8, align = 128> groups %[[ENDS:.*]] : !llvm.ptr<1> from %[[TILES]]
// CHECK: mx.role "multiply" {{.*}} leader
// CHECK: mx.tiles {{.*}} schedule = #mx.group_schedule<supergroup = 8, align = 128> groups %[[ENDS]] : !llvm.ptr<1> from %[[TILES]]
// CHECK: mx.role "store"
// CHECK: mx.tiles {{.*}} schedule = #mx.group_schedule<supergroup = 8, align = 128> groups %[[ENDS]] : !llvm.ptr<1> from %[[TILES]]
// CHECK: mx.role "schedule" first = 6 warps = 1 leader {
// CHECK-NEXT: mx.hand_out {{.*}} schedule = #mx.group_schedule<supergroup = 8, align = 128> groups %[[ENDS]] : !llvm.ptr<1> by clusters %[[ANSWERS]] to %[[TILES]]
mx.kernel @taken_over(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?x?xf8E4M3FN>,
                      %sb: memref<?x?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %c: memref<?x?xbf16>) {
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?x?xf8E4M3FN>, memref<?x?x?xf8E8M0FNU, #scales>)
      groups(%ends : memref<?xi32>) outs(%c : memref<?x?xbf16>) tiles = [#mx.matmul_tile<m = 256, n = 64, ctas = 2, scheduler = clc>]
}

// Groups of K: each has results of its own, and every CTA a table of their order.
// GRID: grid (2 * min(ceildiv(M, 256) * ceildiv(N, 256) * G, SMs / 2), 1, 1)
// CHECK-LABEL: llvm.func @gradients(
// CHECK: %[[ORDER:.*]] = mx.order_groups %{{.*}} by %{{.*}} of %{{.*}} slab = 128 to
// CHECK: mx.role "multiply"
// CHECK: mx.tiles {{.*}} schedule = #mx.k_group_schedule<supergroup = 8> groups %[[ORDER]]
// CHECK: %[[BEGIN:.*]] = arith.divui %k_begin, %c128_i32
// CHECK: %[[END:.*]] = arith.divui
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK: mx.role "store"
// CHECK: %[[ANY:.*]] = arith.cmpi ult, %k_begin, %k_end
// CHECK: scf.if %[[ANY]]
// CHECK: mx.read_accumulator
mx.kernel @gradients(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
                     %sb: memref<?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %c: memref<?x?x?xbf16>) {
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>)
      groups(%ends : memref<?xi32>) outs(%c : memref<?x?x?xbf16>) ragged = k tiles = [#mx.matmul_tile<m = 256, n = 256, stages = 5, ctas = 2, buffers = 1>]
}
