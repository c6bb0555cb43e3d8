// RUN: mxc-opt --mx-lower-math %s | FileCheck %s
// Truncations to f16 and bf16 are kept apart from what they round; LLVM's frem is no exact remainder.

// CHECK-LABEL: llvm.func @truncations(
// CHECK-SAME: %[[X:.*]]: f32, %[[D:.*]]: f64)
llvm.func @truncations(%x: f32, %d: f64) -> f16 {
  // CHECK-NEXT: %[[P:.*]] = arith.mulf %[[X]], %[[X]]
  %p = arith.mulf %x, %x : f32
  // CHECK-NEXT: %[[F:.*]] = llvm.call_intrinsic "llvm.arithmetic.fence"(%[[P]]) : (f32) -> f32
  // CHECK-NEXT: arith.truncf %[[F]] : f32 to f16
  %h = arith.truncf %p : f32 to f16
  // CHECK-NEXT: %[[G:.*]] = llvm.call_intrinsic "llvm.arithmetic.fence"(%[[D]]) : (f64) -> f64
  // CHECK-NEXT: arith.truncf %[[G]] : f64 to bf16
  %b = arith.truncf %d : f64 to bf16
  // CHECK-NEXT: arith.truncf %[[D]] : f64 to f32
  %s = arith.truncf %d : f64 to f32
  // CHECK: llvm.call @__nv_fmodf(%[[X]],
  %r = arith.remf %x, %s : f32
  llvm.return %h : f16
}
