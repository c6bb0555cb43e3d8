// byte << 23 but for 0, a subnormal, and 0xFF, a NaN.
// RUN: mxc-opt --mx-lower-tile-ops %s | FileCheck %s

// CHECK-LABEL: llvm.func @decode(
// CHECK-SAME: %[[BYTE:.*]]: i32)
llvm.func @decode(%byte: i32) -> f32 {
  // CHECK-DAG: %[[SMALLEST:.*]] = arith.constant 4194304 : i32
  // CHECK-DAG: %[[NAN:.*]] = arith.constant 2147483647 : i32
  // CHECK: %[[BITS:.*]] = arith.shli %[[BYTE]], %c23_i32 : i32
  // CHECK-NEXT: %[[ISZERO:.*]] = arith.cmpi eq, %[[BYTE]], %c0_i32 : i32
  // CHECK-NEXT: %[[BITS1:.*]] = arith.select %[[ISZERO]], %[[SMALLEST]], %[[BITS]] : i32
  // CHECK-NEXT: %[[ISNAN:.*]] = arith.cmpi eq, %[[BYTE]], %c255_i32 : i32
  // CHECK-NEXT: %[[BITS2:.*]] = arith.select %[[ISNAN]], %[[NAN]], %[[BITS1]] : i32
  // CHECK-NEXT: llvm.bitcast %[[BITS2]] : i32 to f32
  %value = mx.decode_scale %byte scale = f8E8M0FNU
  llvm.return %value : f32
}
