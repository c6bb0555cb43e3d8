// Two products of one loop over K: b has a dimension of parts before its rows, the epilogue an argument for each.
// RUN: mxc-opt %s | mxc-opt | FileCheck %s
#scales = #mx.scale_layout<tcgen05>

// CHECK-LABEL: mx.kernel @dense
// CHECK: mx.matmul ins({{.*}}memref<2x?x?xf8E4M3FN>, memref<2x?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) with(%bias : memref<1x?xbf16>) outs(%c : memref<?x?xf32>) parts = 2 reduction = sequential {
// CHECK: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
mx.kernel @dense(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<2x?x?xf8E4M3FN>,
                 %sb: memref<2x?x?xf8E8M0FNU, #scales>, %bias: memref<1x?xbf16>, %c: memref<?x?xf32>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<2x?x?xf8E4M3FN>,
                                   memref<2x?x?xf8E8M0FNU, #scales>)
            with(%bias : memref<1x?xbf16>) outs(%c : memref<?x?xf32>) reduction = sequential parts = 2 {
  ^bb0(%gate: f32, %up: f32, %shift: f32):
    %y = math.fma %gate, %up, %shift : f32
    mx.yield %y : f32
  }
}

// CHECK-LABEL: mx.kernel @grouped
// CHECK: memref<?x2x?x?xf8E4M3FN>, memref<?x?x?x?xf8E8M0FNU, {{.*}}>) groups(%ends : memref<?xi32>) outs(%c, (%q, %s) {axis = row} : {{.*}}) align = 1 parts = 2 rounding = floor {
mx.kernel @grouped(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x2x?x?xf8E4M3FN>,
                   %sb: memref<?x?x?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %c: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>,
                   %s: memref<?x?xf8E8M0FNU, #scales>) {
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x2x?x?xf8E4M3FN>,
                                           memref<?x?x?x?xf8E8M0FNU, #scales>)
                    groups(%ends : memref<?xi32>) outs(%c, (%q, %s) {axis = row} : memref<?x?xbf16>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>)
                    rounding = floor parts = 2 align = 1 {
  ^bb0(%gate: f32, %up: f32):
    %y = arith.mulf %gate, %up : f32
    mx.yield %gate, %y : f32, f32
  }
}
