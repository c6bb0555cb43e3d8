// f32: one tree of shuffles a row; bit patterns of magnitudes order as their values, NaN on top.
// RUN: mxc-opt --mx-lower-tile-ops %s | FileCheck %s

// CHECK-LABEL: llvm.func @two_rows(
// CHECK-SAME: %{{.*}}: vector<4xf32>, %{{.*}}: vector<4xf32>, %[[V:.*]]: i1, %[[W:.*]]: i1)
llvm.func @two_rows(%a: vector<4xf32>, %b: vector<4xf32>, %v: i1, %w: i1) -> !llvm.array<2 x i32> {
  // CHECK-COUNT-4: llvm.intr.fabs(%{{.*}}) : (f32) -> f32
  // CHECK-COUNT-2: llvm.intr.maximum(%{{.*}}) : (f32, f32) -> f32
  // CHECK-NEXT: %[[MAX:.*]] = llvm.intr.maximum(%{{.*}}) : (f32, f32) -> f32
  // CHECK-NEXT: %[[BITS:.*]] = llvm.bitcast %[[MAX]] : f32 to i32
  // CHECK-NEXT: %[[KEPT:.*]] = arith.select %[[V]], %[[BITS]], %c0_i32 : i32
  // CHECK-NEXT: %[[OTHER:.*]] = nvvm.shfl.sync bfly %c-1_i32, %[[KEPT]], %c1_i32, %c31_i32
  // CHECK-NEXT: %[[LARGER:.*]] = llvm.intr.umax(%[[KEPT]], %[[OTHER]]) : (i32, i32) -> i32
  // CHECK-NEXT: nvvm.shfl.sync bfly %c-1_i32, %[[LARGER]], %c2_i32, %c31_i32
  // CHECK: nvvm.shfl.sync bfly %c-1_i32, %{{.*}}, %c4_i32, %c31_i32
  // CHECK: arith.select %[[W]], %{{.*}}, %c0_i32 : i32
  // CHECK-COUNT-3: nvvm.shfl.sync
  // CHECK-NOT: nvvm.shfl.sync
  %r:2 = mx.block_amax %a, %b valid %v, %w lanes = 8 special = propagate : vector<4xf32>, vector<4xf32> -> i32, i32
  %0 = llvm.mlir.poison : !llvm.array<2 x i32>
  %1 = llvm.insertvalue %r#0, %0[0] : !llvm.array<2 x i32>
  %2 = llvm.insertvalue %r#1, %1[1] : !llvm.array<2 x i32>
  llvm.return %2 : !llvm.array<2 x i32>
}
