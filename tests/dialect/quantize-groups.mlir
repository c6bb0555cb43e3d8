// RUN: mxc-opt %s | mxc-opt | FileCheck %s
// RUN: mxc-opt %s --mlir-print-op-generic | mxc-opt | FileCheck %s

// CHECK: mx.quantize ins(%x : memref<?x?xbf16>) groups(%ends : memref<?xi32>) gather(%index : memref<?xi32>)
// CHECK-SAME: outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) axis = column align = 1 rounding = floor
mx.kernel @both(%x: memref<?x?xbf16>, %ends: memref<?xi32>, %index: memref<?xi32>, %q: memref<?x?xf8E4M3FN>,
                %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) groups(%ends : memref<?xi32>) gather(%index : memref<?xi32>)
      outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) align = 1 rounding = floor axis = column
}
// CHECK: mx.quantize ins(%x : memref<?x?xbf16>) gather(%index : memref<?xi32>) outs(%q, %s :
mx.kernel @gather(%x: memref<?x?xbf16>, %index: memref<?xi32>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) gather(%index : memref<?xi32>)
      outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}
// CHECK: mx.quantize ins(%x : memref<?x?xbf16>) groups(%ends : memref<?xi32>) rows(%f : memref<?xf32>) outs(%q, %s :
mx.kernel @rows(%x: memref<?x?xbf16>, %ends: memref<?xi32>, %f: memref<?xf32>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) rows(%f : memref<?xf32>) groups(%ends : memref<?xi32>)
      outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {
  ^bb0(%a: f32, %b: f32):
    %y = arith.mulf %a, %b : f32
    mx.yield %y : f32
  }
}
