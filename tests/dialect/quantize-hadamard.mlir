// RUN: mxc-opt %s | mxc-opt | FileCheck %s
// RUN: mxc-opt --mlir-print-op-generic %s | mxc-opt | FileCheck %s

// CHECK-LABEL: mx.kernel @mxfp4
mx.kernel @mxfp4(%x: memref<?x?xbf16>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK: mx.quantize {{.*}} rounding = even hadamard = 16{{$}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU>) hadamard = 16 rounding = even
}

// CHECK-LABEL: llvm.func @lanes(
// CHECK-SAME: %[[X:.*]]: vector<4xf32>, %[[LANE:.*]]: i32)
llvm.func @lanes(%x: vector<4xf32>, %lane: i32) {
  // CHECK: mx.hadamard %[[X]] lane %[[LANE]] lanes = 4 : vector<4xf32> -> vector<4xbf16>
  %y = mx.hadamard %x lane %lane lanes = 4 : vector<4xf32> -> vector<4xbf16>
  llvm.return
}
