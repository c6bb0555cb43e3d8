// Scales of f32: two quotients of a maximum that is kept where neither leaves the normal numbers, by multiply-adds: amax by its
// largest element, and that by the significand of amax, whose exponent is then taken off.
// RUN: mxc-opt --mx-lower-tile-ops %s | FileCheck %s

// CHECK-LABEL: llvm.func @propagate(
// CHECK-SAME: %[[A:.*]]: i32)
llvm.func @propagate(%a: i32) -> !llvm.struct<(i32, f32)> {
  // 448 * 2^-126, and the largest finite.
  // CHECK-DAG: %[[LEAST:.*]] = arith.constant 81788928 : i32
  // CHECK-DAG: %[[MOST:.*]] = arith.constant 2139095039 : i32
  // CHECK: %[[RAISED:.*]] = llvm.intr.umax(%[[A]], %[[LEAST]])
  // CHECK: %[[KEPT:.*]] = arith.minui %[[RAISED]], %[[MOST]]
  // CHECK: %[[AMAX:.*]] = llvm.bitcast %[[KEPT]] : i32 to f32
  // CHECK-NOT: arith.divf
  // CHECK: arith.mulf %[[AMAX]], %{{.*}} : f32
  // CHECK: rcp.approx.ftz
  // CHECK-COUNT-2: llvm.intr.fma
  // CHECK: arith.mulf
  // CHECK: %[[SPECIAL:.*]] = arith.cmpi uge, %[[A]], %{{.*}}
  // CHECK-COUNT-2: arith.select %[[SPECIAL]]
  %s, %m = mx.encode_scale %a element = f8E4M3FN scale = f32 rounding = nearest special = propagate tiny = exact
  %both = llvm.mlir.poison : !llvm.struct<(i32, f32)>
  %one = llvm.insertvalue %s, %both[0] : !llvm.struct<(i32, f32)>
  %two = llvm.insertvalue %m, %one[1] : !llvm.struct<(i32, f32)>
  llvm.return %two : !llvm.struct<(i32, f32)>
}

// CHECK-LABEL: llvm.func @saturate(
llvm.func @saturate(%a: i32) -> i32 {
  // CHECK-NOT: arith.select
  %s, %m = mx.encode_scale %a element = f8E5M2 scale = f32 rounding = nearest special = saturate tiny = exact
  llvm.return %s : i32
}

// CHECK-LABEL: llvm.func @decode(
// CHECK-SAME: %[[C:.*]]: i32)
llvm.func @decode(%c: i32) -> f32 {
  // CHECK-NEXT: %[[V:.*]] = llvm.bitcast %[[C]] : i32 to f32
  // CHECK-NEXT: llvm.return %[[V]]
  %v = mx.decode_scale %c scale = f32
  llvm.return %v : f32
}
