// Scales of f32 by the other words of the rule: powers of two, reciprocals, and what special blocks have.
// RUN: mxc-opt --mx-lower-tile-ops %s | FileCheck %s

// CHECK-LABEL: llvm.func @power(
// CHECK-SAME: %[[A:.*]]: i32)
llvm.func @power(%a: i32) -> i32 {
  // 1e-4, then the byte, whose power of two is a subnormal f32 where it is 0.
  // CHECK-DAG: %[[LEAST:.*]] = arith.constant 953267991 : i32
  // CHECK-DAG: %[[SUBNORMAL:.*]] = arith.constant 4194304 : i32
  // CHECK: %[[CLAMPED:.*]] = llvm.intr.umax(%[[A]], %[[LEAST]])
  // CHECK: arith.addi %[[CLAMPED]], %{{.*}}
  // CHECK: %[[BYTE:.*]] = arith.maxsi
  // CHECK: %[[IS_ZERO:.*]] = arith.cmpi eq, %[[BYTE]]
  // CHECK: %[[BITS:.*]] = arith.shli %[[BYTE]]
  // CHECK: arith.select %[[IS_ZERO]], %[[SUBNORMAL]], %[[BITS]]
  // CHECK: %[[SPECIAL:.*]] = arith.cmpi uge, %[[A]], %{{.*}}
  // CHECK: arith.select %[[SPECIAL]]
  // CHECK-NOT: arith.divf
  %s, %m = mx.encode_scale %a element = f8E4M3FN scale = f32 rounding = ceil special = propagate tiny = clamp
  llvm.return %s : i32
}

// CHECK-LABEL: llvm.func @reciprocal(
// CHECK-SAME: %[[A:.*]]: i32)
llvm.func @reciprocal(%a: i32) -> f32 {
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
  // CHECK-DAG: %[[FINITE:.*]] = arith.constant 4.480000e+02 : f32
  // Inf is kept: its scale is Inf.
  // CHECK-NOT: arith.minui
  // CHECK: %[[SCALE:.*]] = arith.divf %{{.*}}, %[[FINITE]] : f32
  // CHECK: arith.divf %[[ONE]], %{{.*}} : f32
  %s, %m = mx.encode_scale %a element = f8E4M3FN scale = f32 rounding = reciprocal special = ieee tiny = clamp
  llvm.return %m : f32
}

// CHECK-LABEL: llvm.func @inverse(
// CHECK-SAME: %[[A:.*]]: i32)
llvm.func @inverse(%a: i32) -> i32 {
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
  // CHECK-DAG: %[[FINITE:.*]] = arith.constant 4.480000e+02 : f32
  // CHECK-NOT: llvm.intr.umax
  // CHECK: arith.divf %[[FINITE]], %{{.*}} : f32
  // CHECK: arith.divf %[[ONE]], %{{.*}} : f32
  // Zero and Inf, by one comparison.
  // CHECK: %[[LESS:.*]] = arith.subi %[[A]], %{{.*}}
  // CHECK: arith.cmpi uge, %[[LESS]], %{{.*}}
  %s, %m = mx.encode_scale %a element = f8E4M3FN scale = f32 rounding = inverse special = unit_scale tiny = exact
  llvm.return %s : i32
}
