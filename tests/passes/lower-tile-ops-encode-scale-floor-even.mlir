// Floor reads the exponent as it is; even rounds to the element's mantissa first: + 1 << (22 - mantissa bits).
// RUN: mxc-opt --mx-lower-tile-ops %s | FileCheck %s

// CHECK-LABEL: llvm.func @floor_e4m3(
// CHECK-SAME: %[[A:.*]]: i32)
llvm.func @floor_e4m3(%a: i32) -> i32 {
  // CHECK-DAG: %[[EMAX:.*]] = arith.constant 8 : i32
  // CHECK-NOT: arith.addi
  // CHECK: %[[E:.*]] = arith.shrui %[[A]], %c23_i32 : i32
  // CHECK-NEXT: arith.subi %[[E]], %[[EMAX]] : i32
  %b, %m = mx.encode_scale %a element = f8E4M3FN scale = f8E8M0FNU rounding = floor special = propagate tiny = exact
  llvm.return %b : i32
}
// CHECK-LABEL: llvm.func @floor_e5m2(
// CHECK-SAME: %[[A:.*]]: i32)
llvm.func @floor_e5m2(%a: i32) -> i32 {
  // CHECK-DAG: %[[EMAX:.*]] = arith.constant 15 : i32
  // CHECK-NOT: arith.addi
  // CHECK: %[[E:.*]] = arith.shrui %[[A]], %c23_i32 : i32
  // CHECK-NEXT: arith.subi %[[E]], %[[EMAX]] : i32
  %b, %m = mx.encode_scale %a element = f8E5M2 scale = f8E8M0FNU rounding = floor special = propagate tiny = exact
  llvm.return %b : i32
}
// CHECK-LABEL: llvm.func @even_e4m3(
llvm.func @even_e4m3(%a: i32) -> i32 {
  // CHECK-DAG: %[[BIAS:.*]] = arith.constant 524288 : i32
  // CHECK: %[[R:.*]] = arith.addi %{{.*}}, %[[BIAS]] : i32
  // CHECK-NEXT: arith.shrui %[[R]], %c23_i32 : i32
  %b, %m = mx.encode_scale %a element = f8E4M3FN scale = f8E8M0FNU rounding = even special = propagate tiny = exact
  llvm.return %b : i32
}
// CHECK-LABEL: llvm.func @even_e5m2(
llvm.func @even_e5m2(%a: i32) -> i32 {
  // CHECK-DAG: %[[BIAS:.*]] = arith.constant 1048576 : i32
  // CHECK: %[[R:.*]] = arith.addi %{{.*}}, %[[BIAS]] : i32
  // CHECK-NEXT: arith.shrui %[[R]], %c23_i32 : i32
  %b, %m = mx.encode_scale %a element = f8E5M2 scale = f8E8M0FNU rounding = even special = propagate tiny = exact
  llvm.return %b : i32
}
// CHECK-LABEL: llvm.func @even_e3m2(
llvm.func @even_e3m2(%a: i32) -> i32 {
  // CHECK-DAG: %[[BIAS:.*]] = arith.constant 1048576 : i32
  // CHECK: %[[R:.*]] = arith.addi %{{.*}}, %[[BIAS]] : i32
  // CHECK-NEXT: arith.shrui %[[R]], %c23_i32 : i32
  %b, %m = mx.encode_scale %a element = f6E3M2FN scale = f8E8M0FNU rounding = even special = propagate tiny = exact
  llvm.return %b : i32
}
// CHECK-LABEL: llvm.func @even_e2m1(
llvm.func @even_e2m1(%a: i32) -> i32 {
  // CHECK-DAG: %[[BIAS:.*]] = arith.constant 2097152 : i32
  // CHECK: %[[R:.*]] = arith.addi %{{.*}}, %[[BIAS]] : i32
  // CHECK-NEXT: arith.shrui %[[R]], %c23_i32 : i32
  %b, %m = mx.encode_scale %a element = f4E2M1FN scale = f8E8M0FNU rounding = even special = propagate tiny = exact
  llvm.return %b : i32
}
