// Cluster launch control: a cluster for every tile, a role that asks and hands out, to a ring of records that the other roles' tiles follow.
// RUN: mxc-opt --mx-lower-kernels=target=sm_100a --canonicalize --cse %s | FileCheck %s
#scales = #mx.scale_layout<tcgen05>

// CHECK: \22grid\22:{{.*}}2 * (ceildiv(M, 256) * ceildiv(N, 64))\22
// CHECK-LABEL: llvm.func @clc(
// CHECK: mx.pipeline
// CHECK: %[[ANSWERS:.*]] = mx.ring "answers" stages = 1 once parts = [16]
// CHECK: %[[TILES:.*]] = mx.ring "tiles" stages = 3 parts = [32]
// CHECK: mx.role "load"
// CHECK: mx.tiles {{.*}} schedule = #mx.static_schedule<supergroup = 8, slices = 1> from %[[TILES]]
// CHECK: mx.role "multiply" {{.*}} leader
// CHECK: mx.tiles {{.*}} schedule = #mx.static_schedule<supergroup = 8, slices = 1> from %[[TILES]]
// CHECK: mx.role "store"
// CHECK: mx.tiles {{.*}} schedule = #mx.static_schedule<supergroup = 8, slices = 1> from %[[TILES]]
// CHECK: mx.role "schedule" first = 6 warps = 1 leader {
// CHECK-NEXT: mx.hand_out {{.*}} schedule = #mx.static_schedule<supergroup = 8, slices = 1> by clusters %[[ANSWERS]] to %[[TILES]]
mx.kernel @clc(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
               %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>)
            outs(%c : memref<?x?xbf16>) tiles = [#mx.matmul_tile<m = 256, n = 64, ctas = 2, scheduler = clc>]
}
