// Divisions that round up or down are divisions that truncate, corrected where there is a rest.
// RUN: mxc-opt --mx-lower-to-llvm %s | FileCheck %s

// CHECK-LABEL: llvm.func @ceil_unsigned
// CHECK: %[[BELOW:.*]] = llvm.sub %arg0, %[[ONE:.*]] : i32
// CHECK: %[[DOWN:.*]] = llvm.udiv %[[BELOW]], %arg1 : i32
// CHECK: %[[UP:.*]] = llvm.add %[[DOWN]], %[[ONE]] : i32
// CHECK: llvm.select %{{.*}}, %{{.*}}, %[[UP]] : i1, i32
llvm.func @ceil_unsigned(%a: i32, %b: i32) {
  %0 = arith.ceildivui %a, %b : i32
  llvm.return
}

// CHECK-LABEL: llvm.func @ceil_signed
// CHECK: %[[DOWN:.*]] = llvm.sdiv %arg0, %arg1 : i32
// CHECK: %[[PRODUCT:.*]] = llvm.mul %[[DOWN]], %arg1 : i32
// CHECK: llvm.icmp "ne" %arg0, %[[PRODUCT]] : i32
// CHECK: llvm.icmp "eq" %{{.*}}, %{{.*}} : i1
// CHECK: %[[UP:.*]] = llvm.add %[[DOWN]], %{{.*}} : i32
// CHECK: llvm.select %{{.*}}, %[[UP]], %[[DOWN]] : i1, i32
llvm.func @ceil_signed(%a: i32, %b: i32) {
  %0 = arith.ceildivsi %a, %b : i32
  llvm.return
}

// CHECK-LABEL: llvm.func @floor_signed
// CHECK: %[[TOWARD_ZERO:.*]] = llvm.sdiv %arg0, %arg1 : i32
// CHECK: llvm.icmp "ne" %{{.*}}, %{{.*}} : i1
// CHECK: %[[MINUS_ONE:.*]] = llvm.mlir.constant(-1 : i32) : i32
// CHECK: %[[DOWN:.*]] = llvm.add %[[TOWARD_ZERO]], %[[MINUS_ONE]] : i32
// CHECK: llvm.select %{{.*}}, %[[DOWN]], %[[TOWARD_ZERO]] : i1, i32
llvm.func @floor_signed(%a: i32, %b: i32) {
  %0 = arith.floordivsi %a, %b : i32
  llvm.return
}
