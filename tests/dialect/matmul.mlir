// RUN: mxc-opt %s | mxc-opt | FileCheck %s
#scales = #mx.scale_layout<tcgen05>

// CHECK-LABEL: mx.kernel @plain
// CHECK: mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>, memref<64x?xf8E5M2>, {{.*}}) outs(%c : memref<?x64xf32>) reduction = sequential
mx.kernel @plain(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<64x?xf8E5M2>,
                 %sb: memref<64x?xf8E8M0FNU, #scales>, %c: memref<?x64xf32>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<64x?xf8E5M2>,
                                   memref<64x?xf8E8M0FNU, #scales>)
            outs(%c : memref<?x64xf32>) reduction = sequential
}

// CHECK-LABEL: mx.kernel @batch
// CHECK: with(%bias, %rows : memref<?x1x?xbf16>, memref<?x?x1xf32>) outs(%c, %d : memref<?x?x?xbf16>, memref<?x?x?xbf16>) accumulate tiles = [#mx.matmul_tile<m = 128, n = 64, stages = 4, ctas = 1, supergroup = 8, buffers = 2, load = tensor, store = tensor, slices = 1, scheduler = static>] {
// CHECK: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK: arith.mulf %{{.*}}, %alpha : f32
// CHECK: mx.yield %{{.*}}, %{{.*}} : f32, f32
mx.kernel @batch(%a: memref<?x?x?xf8E4M3FN>, %sa: memref<?x?x?xf8E8M0FNU, #scales>, %b: memref<?x?x?xf8E4M3FN>,
                 %sb: memref<?x?x?xf8E8M0FNU, #scales>, %bias: memref<?x1x?xbf16>, %rows: memref<?x?x1xf32>, %alpha: f32,
                 %c: memref<?x?x?xbf16>, %d: memref<?x?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?x?xf8E4M3FN>, memref<?x?x?xf8E8M0FNU, #scales>, memref<?x?x?xf8E4M3FN>,
                                   memref<?x?x?xf8E8M0FNU, #scales>)
            with(%bias, %rows : memref<?x1x?xbf16>, memref<?x?x1xf32>)
            outs(%c, %d : memref<?x?x?xbf16>, memref<?x?x?xbf16>) accumulate tiles = [#mx.matmul_tile<n = 64>] {
  ^bb0(%acc: f32, %shift: f32, %factor: f32):
    %x = arith.mulf %acc, %alpha : f32
    %y = arith.addf %x, %shift : f32
    %z = arith.mulf %y, %factor : f32
    mx.yield %y, %z : f32, f32
  }
}

// CHECK-LABEL: mx.kernel @quantized
// CHECK: outs(%c, (%q, %s) {axis = row}, (%qt, %st) {axis = column} : memref<?x?xbf16>, memref<?x64xf8E4M3FN>, memref<?x2xf8E8M0FNU, #mx.scale_layout<tcgen05>>, memref<64x?xf8E5M2>, memref<64x?xf8E8M0FNU>) rounding = even special = saturate
mx.kernel @quantized(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
                     %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>, %q: memref<?x64xf8E4M3FN>,
                     %s: memref<?x2xf8E8M0FNU, #scales>, %qt: memref<64x?xf8E5M2>, %st: memref<64x?xf8E8M0FNU>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>,
                                   memref<?x?xf8E8M0FNU, #scales>)
            outs(%c, (%q, %s) {axis = row}, (%qt, %st) {axis = column} : memref<?x?xbf16>, memref<?x64xf8E4M3FN>, memref<?x2xf8E8M0FNU, #scales>,
                 memref<64x?xf8E5M2>, memref<64x?xf8E8M0FNU>) special = saturate rounding = even {
  ^bb0(%acc: f32):
    mx.yield %acc, %acc, %acc : f32, f32, f32
  }
}
