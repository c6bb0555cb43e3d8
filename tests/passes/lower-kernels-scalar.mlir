// A scalar argument is a parameter by value, which the region uses.
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a --canonicalize --cse %s | FileCheck %s

// CHECK: \22kind\22:\22scalar\22,\22name\22:\22alpha\22
// CHECK-LABEL: llvm.func @scaled(
// CHECK-SAME: %{{.*}}: !llvm.ptr<1>, %[[ALPHA:.*]]: f32, %{{.*}}: !llvm.ptr<1>
mx.kernel @scaled(%x: memref<?x?xbf16>, %alpha: f32, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK-COUNT-32: arith.mulf %{{.*}}, %[[ALPHA]] : f32
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) tiles = [#mx.quantize_tile<>] {
  ^bb0(%a: f32):
    %y = arith.mulf %a, %alpha : f32
    mx.yield %y : f32
  }
}
