// The byte is (bits of the maximum + bias) >> 23, less the element's largest exponent. The bias says when the exponent rises.
// RUN: mxc-opt --mx-lower-tile-ops %s | FileCheck %s

// CHECK-LABEL: llvm.func @ceil_e4m3(
llvm.func @ceil_e4m3(%a: i32) -> i32 {
  // CHECK-DAG: %[[BIAS:.*]] = arith.constant 2097151 : i32
  // CHECK-DAG: %[[EMAX:.*]] = arith.constant 8 : i32
  // CHECK: %[[R:.*]] = arith.addi %{{.*}}, %[[BIAS]] : i32
  // CHECK-NEXT: %[[E:.*]] = arith.shrui %[[R]], %c23_i32 : i32
  // CHECK-NEXT: %[[B:.*]] = arith.subi %[[E]], %[[EMAX]] : i32
  // CHECK-NEXT: arith.maxsi %[[B]], %c0_i32 : i32
  %b, %m = mx.encode_scale %a element = f8E4M3FN scale = f8E8M0FNU rounding = ceil special = propagate tiny = exact
  llvm.return %b : i32
}
// CHECK-LABEL: llvm.func @ceil_e5m2(
llvm.func @ceil_e5m2(%a: i32) -> i32 {
  // CHECK-DAG: %[[BIAS:.*]] = arith.constant 2097151 : i32
  // CHECK-DAG: %[[EMAX:.*]] = arith.constant 15 : i32
  // CHECK: %[[R:.*]] = arith.addi %{{.*}}, %[[BIAS]] : i32
  // CHECK-NEXT: %[[E:.*]] = arith.shrui %[[R]], %c23_i32 : i32
  // CHECK-NEXT: %[[B:.*]] = arith.subi %[[E]], %[[EMAX]] : i32
  // CHECK-NEXT: arith.maxsi %[[B]], %c0_i32 : i32
  %b, %m = mx.encode_scale %a element = f8E5M2 scale = f8E8M0FNU rounding = ceil special = propagate tiny = exact
  llvm.return %b : i32
}
// CHECK-LABEL: llvm.func @ceil_e3m2(
llvm.func @ceil_e3m2(%a: i32) -> i32 {
  // CHECK-DAG: %[[BIAS:.*]] = arith.constant 2097151 : i32
  // CHECK-DAG: %[[EMAX:.*]] = arith.constant 4 : i32
  // CHECK: %[[R:.*]] = arith.addi %{{.*}}, %[[BIAS]] : i32
  // CHECK-NEXT: %[[E:.*]] = arith.shrui %[[R]], %c23_i32 : i32
  // CHECK-NEXT: %[[B:.*]] = arith.subi %[[E]], %[[EMAX]] : i32
  // CHECK-NEXT: arith.maxsi %[[B]], %c0_i32 : i32
  %b, %m = mx.encode_scale %a element = f6E3M2FN scale = f8E8M0FNU rounding = ceil special = propagate tiny = exact
  llvm.return %b : i32
}
// CHECK-LABEL: llvm.func @ceil_e2m3(
llvm.func @ceil_e2m3(%a: i32) -> i32 {
  // CHECK-DAG: %[[BIAS:.*]] = arith.constant 1048575 : i32
  // CHECK-DAG: %[[EMAX:.*]] = arith.constant 2 : i32
  // CHECK: %[[R:.*]] = arith.addi %{{.*}}, %[[BIAS]] : i32
  // CHECK-NEXT: %[[E:.*]] = arith.shrui %[[R]], %c23_i32 : i32
  // CHECK-NEXT: %[[B:.*]] = arith.subi %[[E]], %[[EMAX]] : i32
  // CHECK-NEXT: arith.maxsi %[[B]], %c0_i32 : i32
  %b, %m = mx.encode_scale %a element = f6E2M3FN scale = f8E8M0FNU rounding = ceil special = propagate tiny = exact
  llvm.return %b : i32
}
// CHECK-LABEL: llvm.func @ceil_e2m1(
llvm.func @ceil_e2m1(%a: i32) -> i32 {
  // CHECK-DAG: %[[BIAS:.*]] = arith.constant 4194303 : i32
  // CHECK-DAG: %[[EMAX:.*]] = arith.constant 2 : i32
  // CHECK: %[[R:.*]] = arith.addi %{{.*}}, %[[BIAS]] : i32
  // CHECK-NEXT: %[[E:.*]] = arith.shrui %[[R]], %c23_i32 : i32
  // CHECK-NEXT: %[[B:.*]] = arith.subi %[[E]], %[[EMAX]] : i32
  // CHECK-NEXT: arith.maxsi %[[B]], %c0_i32 : i32
  %b, %m = mx.encode_scale %a element = f4E2M1FN scale = f8E8M0FNU rounding = ceil special = propagate tiny = exact
  llvm.return %b : i32
}
