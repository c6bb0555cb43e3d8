// Two products of one loop over K: a tile of 256 rows of b has 128 of each part. A pair of CTAs brings a part each, one CTA both by
// one box; the epilogue reads equal columns of both.
// RUN: mxc-opt --mx-lower-kernels=target=sm_100a --canonicalize --cse %s | FileCheck %s
// RUN: mxc compile %s --target=sm_100a --emit=ptx -o %t.ptx
// RUN: mxc inspect --all %t.ptx | FileCheck %s --check-prefix=GRID
// RUN: not mxc compile %s --target=sm_120a --tile='n = 64, stages = 2' --emit=ptx -o %t.ptx 2>&1 | FileCheck %s --check-prefix=WARPS
#scales = #mx.scale_layout<tcgen05>

// GRID: grid (2 * min((128 * ceildiv(M, 128) + G * 128) / 256 * min(min(M, G), 1) * ceildiv(N, 128), SMs / 2), 1, 1)
// WARPS: has n = 64, sm_120a takes 128 for two parts

// CHECK-LABEL: llvm.func @pair(
// CHECK: mx.role "load"
// CHECK: mx.tile_fields
// CHECK: %{{.*}} = mx.cta_rank
// CHECK: %[[RANK:.*]] = mx.cta_rank
// CHECK: %[[TILE:.*]] = arith.divui %column, %c128_i32
// CHECK: mx.copy_box %{{.*}}[%{{.*}}, %column, %[[RANK]], %group] {{.*}} part = 1 bytes = 16384
// CHECK: mx.copy_box %{{.*}}[%c0_i32, %{{.*}}, %[[TILE]], %[[RANK]], %group] {{.*}} part = 3 {{.*}} bytes = 512 multicast
// CHECK: mx.role "store"
// CHECK: mx.read_accumulator {{.*}} column %[[GATE:.*]] : vector<64xf32>
// CHECK: %[[UP:.*]] = arith.addi %[[GATE]], %c128_i32
// CHECK: mx.read_accumulator {{.*}} column %[[UP]] : vector<64xf32>
mx.kernel @pair(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x2x?x?xf8E4M3FN>,
                %sb: memref<?x2x?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %c: memref<?x?xbf16>) {
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x2x?x?xf8E4M3FN>, memref<?x2x?x?xf8E8M0FNU, #scales>)
      groups(%ends : memref<?xi32>) outs(%c : memref<?x?xbf16>) parts = 2 tiles = [#mx.matmul_tile<m = 256, n = 256, stages = 4, ctas = 2, buffers = 1>] {
  ^bb0(%gate: f32, %up: f32):
    %y = arith.mulf %gate, %up : f32
    mx.yield %y : f32
  }
}

// CHECK-LABEL: llvm.func @alone(
// CHECK: mx.role "load"
// CHECK: mx.copy_box %{{.*}}[%{{.*}}, %column, %c0_i32] {{.*}} part = 1 bytes = 32768
// CHECK: mx.copy_box %{{.*}}[%c0_i32, %{{.*}}, %{{.*}}, %c0_i32] {{.*}} part = 3 bytes = 1024
mx.kernel @alone(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<2x?x?xf8E4M3FN>,
                 %sb: memref<2x?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<2x?x?xf8E4M3FN>, memref<2x?x?xf8E8M0FNU, #scales>)
      outs(%c : memref<?x?xbf16>) parts = 2 tiles = [#mx.matmul_tile<n = 256, stages = 3, buffers = 1>] {
  ^bb0(%gate: f32, %up: f32):
    %y = arith.mulf %gate, %up : f32
    mx.yield %y : f32
  }
}
