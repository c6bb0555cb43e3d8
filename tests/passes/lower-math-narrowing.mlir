// RUN: mxc-opt --mx-lower-math %s | FileCheck %s
// Truncations to f16 and bf16 are kept apart from what they round; LLVM's frem is no exact remainder.

// CHECK-LABEL: llvm.func @to_f16(
// CHECK-SAME: %[[X:.*]]: f32)
llvm.func @to_f16(%x: f32) -> f16 {
  // CHECK-NEXT: %[[P:.*]] = arith.mulf %[[X]], %[[X]]
  %p = arith.mulf %x, %x : f32
  // CHECK-NEXT: %[[F:.*]] = llvm.call_intrinsic "llvm.arithmetic.fence"(%[[P]]) : (f32) -> f32
  // CHECK-NEXT: arith.truncf %[[F]] : f32 to f16
  %h = arith.truncf %p : f32 to f16
  llvm.return %h : f16
}

// CHECK-LABEL: llvm.func @to_bf16(
// CHECK-SAME: %[[D:.*]]: f64)
llvm.func @to_bf16(%d: f64) -> bf16 {
  // CHECK-NEXT: %[[G:.*]] = llvm.call_intrinsic "llvm.arithmetic.fence"(%[[D]]) : (f64) -> f64
  // CHECK-NEXT: arith.truncf %[[G]] : f64 to bf16
  %b = arith.truncf %d : f64 to bf16
  llvm.return %b : bf16
}

// CHECK-LABEL: llvm.func @to_f32(
llvm.func @to_f32(%d: f64) -> f32 {
  // CHECK-NEXT: arith.truncf %{{.*}} : f64 to f32
  %s = arith.truncf %d : f64 to f32
  llvm.return %s : f32
}

// CHECK-LABEL: llvm.func @remainder(
// CHECK-SAME: %[[X:.*]]: f32, %[[Y:.*]]: f32)
llvm.func @remainder(%x: f32, %y: f32) -> f32 {
  // CHECK-NEXT: llvm.call @__nv_fmodf(%[[X]], %[[Y]])
  %r = arith.remf %x, %y : f32
  llvm.return %r : f32
}
