// f16 as bf16, but for the way to f32.
// RUN: mxc-opt --mx-lower-tile-ops %s | FileCheck %s

// CHECK-LABEL: llvm.func @one_row(
// CHECK-SAME: %[[A:.*]]: vector<4xf16>, %[[V:.*]]: i1)
llvm.func @one_row(%a: vector<4xf16>, %v: i1) -> i32 {
  // CHECK: %[[WORDS:.*]] = llvm.bitcast %[[A]] : vector<4xf16> to vector<2xi32>
  // CHECK: %[[MAX:.*]] = llvm.intr.umax(%{{.*}}) : (vector<2xi16>, vector<2xi16>) -> vector<2xi16>
  // CHECK: %[[KEEP:.*]] = arith.select %[[V]], %c65535_i32, %c0_i32
  // CHECK: arith.andi %{{.*}}, %[[KEEP]]
  // CHECK: nvvm.shfl.sync bfly %c-1_i32, %{{.*}}, %c1_i32, %c31_i32
  // CHECK: nvvm.shfl.sync bfly %c-1_i32, %{{.*}}, %c2_i32, %c31_i32
  // CHECK: nvvm.shfl.sync bfly %c-1_i32, %{{.*}}, %c4_i32, %c31_i32
  // CHECK-NOT: nvvm.shfl.sync
  // CHECK: %[[HALF:.*]] = arith.trunci %{{.*}} : i32 to i16
  // CHECK-NEXT: %[[VALUE:.*]] = llvm.bitcast %[[HALF]] : i16 to f16
  // CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[VALUE]] : f16 to f32
  // CHECK-NEXT: %[[BITS:.*]] = llvm.bitcast %[[WIDE]] : f32 to i32
  // CHECK-NEXT: llvm.return %[[BITS]]
  %r = mx.block_amax %a valid %v lanes = 8 special = propagate : vector<4xf16> -> i32
  llvm.return %r : i32
}

// Two rows: the second one's maximum is the upper half.
// CHECK-LABEL: llvm.func @two_rows(
llvm.func @two_rows(%a: vector<16xf16>, %b: vector<16xf16>, %v: i1, %w: i1) -> i32 {
  // CHECK-COUNT-1: nvvm.shfl.sync
  // CHECK-NOT: nvvm.shfl.sync
  // CHECK: %[[UP:.*]] = arith.shrui %{{.*}}, %c16_i32 : i32
  // CHECK: arith.trunci %[[UP]] : i32 to i16
  %r:2 = mx.block_amax %a, %b valid %v, %w lanes = 2 special = propagate : vector<16xf16>, vector<16xf16> -> i32, i32
  llvm.return %r#1 : i32
}
