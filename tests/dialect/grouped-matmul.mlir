// RUN: mxc-opt %s | mxc-opt | FileCheck %s
#scales = #mx.scale_layout<tcgen05>

// CHECK-LABEL: mx.kernel @plain
// CHECK: mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>, memref<8x?x?xf8E5M2>, {{.*}}) groups(%ends : memref<?xi32>) outs(%c : memref<?x?xf32>)
// CHECK-NOT: align
mx.kernel @plain(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<8x?x?xf8E5M2>,
                 %sb: memref<8x?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %c: memref<?x?xf32>) {
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<8x?x?xf8E5M2>,
                                           memref<8x?x?xf8E8M0FNU, #scales>)
                    groups(%ends : memref<?xi32>) outs(%c : memref<?x?xf32>)
}

// CHECK-LABEL: mx.kernel @all
// CHECK: groups(%ends : memref<?xi32>) with(%bias, %rows : memref<?x1x?xbf16>, memref<?x1xf32>) outs(%c : memref<?x?xbf16>) align = 1 block = 1x32 reduction = sequential accumulate tiles = [#mx.matmul_tile<m = 128, n = 64, {{.*}}>] {
// CHECK: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
mx.kernel @all(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?x?xf8E4M3FN>,
               %sb: memref<?x?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %bias: memref<?x1x?xbf16>, %rows: memref<?x1xf32>,
               %c: memref<?x?xbf16>) {
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?x?xf8E4M3FN>,
                                           memref<?x?x?xf8E8M0FNU, #scales>)
                    groups(%ends : memref<?xi32>) with(%bias, %rows : memref<?x1x?xbf16>, memref<?x1xf32>)
                    outs(%c : memref<?x?xbf16>) tiles = [#mx.matmul_tile<n = 64>] accumulate reduction = sequential block = 1x32 align = 1 {
  ^bb0(%acc: f32, %shift: f32, %factor: f32):
    %y = arith.addf %acc, %shift : f32
    %z = arith.mulf %y, %factor : f32
    mx.yield %z : f32
  }
}

// CHECK-LABEL: mx.kernel @gathered
// CHECK: groups(%ends : memref<?xi32>) gather(%index : memref<?xi32>) outs(%c : memref<?x?xbf16>) align = 1
mx.kernel @gathered(%a: memref<64x?xf8E4M3FN>, %sa: memref<64x?xf8E8M0FNU, #scales>, %b: memref<?x?x?xf8E4M3FN>,
                    %sb: memref<?x?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %index: memref<?xi32>, %c: memref<?x?xbf16>) {
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<64x?xf8E4M3FN>, memref<64x?xf8E8M0FNU, #scales>, memref<?x?x?xf8E4M3FN>,
                                           memref<?x?x?xf8E8M0FNU, #scales>)
                    groups(%ends : memref<?xi32>) gather(%index : memref<?xi32>) outs(%c : memref<?x?xbf16>) align = 1
}

// CHECK-LABEL: mx.kernel @gradients
// CHECK: groups(%ends : memref<8xi32>) outs(%c : memref<8x?x?xf32>) ragged = k align = 128 accumulate
mx.kernel @gradients(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
                     %sb: memref<?x?xf8E8M0FNU, #scales>, %ends: memref<8xi32>, %c: memref<8x?x?xf32>) {
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>,
                                           memref<?x?xf8E8M0FNU, #scales>)
                    groups(%ends : memref<8xi32>) outs(%c : memref<8x?x?xf32>) accumulate ragged = k align = 128
}
