// Sums and differences of pairs; inputs of 16 bits are scaled within the first of them, f32 before it.
// RUN: mxc-opt --mx-lower-tile-ops %s | FileCheck %s

// CHECK-LABEL: llvm.func @one_lane(
llvm.func @one_lane(%x: vector<16xbf16>, %lane: i32) -> vector<16xbf16> {
  // CHECK-NOT: shfl
  // CHECK-COUNT-8: llvm.intr.fma({{.*}}) : (vector<2xf32>, vector<2xf32>, vector<2xf32>) -> vector<2xf32>
  // CHECK-NOT: llvm.intr.fma
  // CHECK-COUNT-4: arith.addf %{{.*}} : vector<2xf32>
  // CHECK-COUNT-8: llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"
  %y = mx.hadamard %x lane %lane lanes = 1 : vector<16xbf16> -> vector<16xbf16>
  llvm.return %y : vector<16xbf16>
}

// CHECK-LABEL: llvm.func @two_lanes(
llvm.func @two_lanes(%x: vector<8xf32>, %lane: i32) -> vector<8xbf16> {
  // CHECK-NOT: llvm.intr.fma
  // CHECK-COUNT-8: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.shfl.sync
  // CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"
  %y = mx.hadamard %x lane %lane lanes = 2 : vector<8xf32> -> vector<8xbf16>
  llvm.return %y : vector<8xbf16>
}
