// Where NaN is ignored: maxima of floats, a block of nothing but NaN counts as zeros. What crosses lanes has no NaN and is
// compared as integers.
// RUN: mxc-opt --mx-lower-tile-ops %s | FileCheck %s

// CHECK-LABEL: llvm.func @bf16(
llvm.func @bf16(%a: vector<8xbf16>, %v: i1) -> i32 {
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<2xbf16>
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.fmax.xorsign.abs.bf16x2"(%{{.*}}, %{{.*}})
  // CHECK: llvm.call_intrinsic "llvm.nvvm.fmax.xorsign.abs.bf16x2"(%{{.*}}, %{{.*}})
  // CHECK: llvm.call_intrinsic "llvm.nvvm.fmax.xorsign.abs.bf16x2"(%{{.*}}, %[[ZERO]])
  // CHECK-NOT: xorsign
  // CHECK: llvm.intr.umax
  %r = mx.block_amax %a valid %v lanes = 4 special = saturate : vector<8xbf16> -> i32
  llvm.return %r : i32
}

// CHECK-LABEL: llvm.func @f16(
llvm.func @f16(%a: vector<8xf16>, %v: i1) -> i32 {
  // CHECK-COUNT-4: llvm.intr.maxnum(%{{.*}}) : (vector<2xf16>, vector<2xf16>) -> vector<2xf16>
  // CHECK-NOT: maxnum
  %r = mx.block_amax %a valid %v lanes = 4 special = nan_scale : vector<8xf16> -> i32
  llvm.return %r : i32
}

// CHECK-LABEL: llvm.func @f32(
llvm.func @f32(%a: vector<4xf32>, %v: i1) -> i32 {
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
  // CHECK-COUNT-3: llvm.intr.maxnum(%{{.*}}) : (f32, f32) -> f32
  // CHECK-NEXT: %[[MAX:.*]] = llvm.intr.maxnum(%{{.*}}, %[[ZERO]]) : (f32, f32) -> f32
  // CHECK-NEXT: llvm.bitcast %[[MAX]] : f32 to i32
  // CHECK-NOT: llvm.intr.max
  // CHECK-COUNT-3: llvm.intr.umax
  %r = mx.block_amax %a valid %v lanes = 8 special = saturate : vector<4xf32> -> i32
  llvm.return %r : i32
}
