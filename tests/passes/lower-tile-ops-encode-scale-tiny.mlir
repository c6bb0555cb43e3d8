// byte_one: a maximum above max_finite * 2^-150 (the bits of that subnormal are max_finite / 2) has byte 1 or more.
// RUN: mxc-opt --mx-lower-tile-ops %s | FileCheck %s

// CHECK-LABEL: llvm.func @e4m3(
// CHECK-SAME: %[[A:.*]]: i32)
llvm.func @e4m3(%a: i32) -> i32 {
  // CHECK-DAG: %[[LIMIT:.*]] = arith.constant 224 : i32
  // CHECK: %[[B:.*]] = arith.maxsi %{{.*}}, %c0_i32 : i32
  // CHECK-NEXT: %[[RAISED:.*]] = arith.maxsi %[[B]], %c1_i32 : i32
  // CHECK-NEXT: %[[ABOVE:.*]] = arith.cmpi ugt, %[[A]], %[[LIMIT]] : i32
  // CHECK-NEXT: arith.select %[[ABOVE]], %[[RAISED]], %c0_i32 : i32
  %b, %m = mx.encode_scale %a element = f8E4M3FN scale = f8E8M0FNU rounding = ceil special = nan_scale tiny = byte_one
  llvm.return %b : i32
}
// CHECK-LABEL: llvm.func @e5m2(
// CHECK-SAME: %[[A:.*]]: i32)
llvm.func @e5m2(%a: i32) -> i32 {
  // CHECK-DAG: %[[LIMIT:.*]] = arith.constant 28672 : i32
  // CHECK: %[[B:.*]] = arith.maxsi %{{.*}}, %c0_i32 : i32
  // CHECK-NEXT: %[[RAISED:.*]] = arith.maxsi %[[B]], %c1_i32 : i32
  // CHECK-NEXT: %[[ABOVE:.*]] = arith.cmpi ugt, %[[A]], %[[LIMIT]] : i32
  // CHECK-NEXT: arith.select %[[ABOVE]], %[[RAISED]], %c0_i32 : i32
  %b, %m = mx.encode_scale %a element = f8E5M2 scale = f8E8M0FNU rounding = ceil special = nan_scale tiny = byte_one
  llvm.return %b : i32
}
// CHECK-LABEL: llvm.func @e2m1(
// CHECK-SAME: %[[A:.*]]: i32)
llvm.func @e2m1(%a: i32) -> i32 {
  // CHECK-DAG: %[[LIMIT:.*]] = arith.constant 3 : i32
  // CHECK: %[[B:.*]] = arith.maxsi %{{.*}}, %c0_i32 : i32
  // CHECK-NEXT: %[[RAISED:.*]] = arith.maxsi %[[B]], %c1_i32 : i32
  // CHECK-NEXT: %[[ABOVE:.*]] = arith.cmpi ugt, %[[A]], %[[LIMIT]] : i32
  // CHECK-NEXT: arith.select %[[ABOVE]], %[[RAISED]], %c0_i32 : i32
  %b, %m = mx.encode_scale %a element = f4E2M1FN scale = f8E8M0FNU rounding = ceil special = nan_scale tiny = byte_one
  llvm.return %b : i32
}
