// Maxima on pairs of bf16, whose signs go at the end; from there they order like integers, NaN above Inf. Two rows share
// a register before the shuffles, so that four shuffles serve four rows.
// RUN: mxc-opt --mx-lower-tile-ops %s | FileCheck %s

// CHECK-LABEL: llvm.func @four_rows(
// CHECK-SAME: %[[A:.*]]: vector<8xbf16>, %[[B:.*]]: vector<8xbf16>, %{{.*}}, %{{.*}}, %[[V:.*]]: i1, %[[W:.*]]: i1)
llvm.func @four_rows(%a: vector<8xbf16>, %b: vector<8xbf16>, %c: vector<8xbf16>, %d: vector<8xbf16>, %v: i1, %w: i1) -> !llvm.array<4 x i32> {
  // CHECK-DAG: %[[ABS:.*]] = arith.constant 2147450879 : i32
  // CHECK-DAG: %[[EVEN:.*]] = arith.constant 21520 : i32
  // CHECK-DAG: %[[ODD:.*]] = arith.constant 30258 : i32
  // CHECK-DAG: %[[LOW:.*]] = arith.constant 65535 : i32
  // CHECK-DAG: %[[HIGH:.*]] = arith.constant -65536 : i32
  // CHECK: llvm.bitcast %[[A]] : vector<8xbf16> to vector<4xi32>
  // CHECK-COUNT-3: llvm.call_intrinsic "llvm.nvvm.fmax.nan.xorsign.abs.bf16x2"
  // CHECK: %[[MA:.*]] = arith.andi %{{.*}}, %[[ABS]] : i32
  // CHECK: llvm.bitcast %[[B]]
  // CHECK-COUNT-3: llvm.call_intrinsic "llvm.nvvm.fmax.nan.xorsign.abs.bf16x2"
  // CHECK: %[[MB:.*]] = arith.andi %{{.*}}, %[[ABS]] : i32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.prmt"(%[[MA]], %[[MB]], %[[EVEN]])
  // CHECK: llvm.call_intrinsic "llvm.nvvm.prmt"(%[[MA]], %[[MB]], %[[ODD]])
  // CHECK: %[[ROWA:.*]] = arith.select %[[V]], %[[LOW]], %{{.*}} : i32
  // CHECK: %[[ROWB:.*]] = arith.select %[[W]], %[[HIGH]], %{{.*}} : i32
  // CHECK: %[[MASK:.*]] = arith.ori %[[ROWA]], %[[ROWB]]
  // CHECK: %[[BITS:.*]] = arith.andi %{{.*}}, %[[MASK]]
  // CHECK: nvvm.shfl.sync bfly %c-1_i32, %[[BITS]], %c1_i32, %c31_i32
  // CHECK: nvvm.shfl.sync bfly %c-1_i32, %{{.*}}, %c2_i32, %c31_i32
  // CHECK: %[[AMAXA:.*]] = arith.shli %[[BOTH:.*]], %c16_i32
  // CHECK: %[[AMAXB:.*]] = arith.andi %[[BOTH]], %[[HIGH]]
  // CHECK-COUNT-2: nvvm.shfl.sync
  // CHECK-NOT: nvvm.shfl.sync
  %r:4 = mx.block_amax %a, %b, %c, %d valid %v, %w, %v, %w lanes = 4 special = propagate : vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16> -> i32, i32, i32, i32
  // CHECK: llvm.insertvalue %[[AMAXA]], %{{.*}}[0]
  // CHECK: llvm.insertvalue %[[AMAXB]], %{{.*}}[1]
  %0 = llvm.mlir.poison : !llvm.array<4 x i32>
  %1 = llvm.insertvalue %r#0, %0[0] : !llvm.array<4 x i32>
  %2 = llvm.insertvalue %r#1, %1[1] : !llvm.array<4 x i32>
  %3 = llvm.insertvalue %r#2, %2[2] : !llvm.array<4 x i32>
  %4 = llvm.insertvalue %r#3, %3[3] : !llvm.array<4 x i32>
  llvm.return %4 : !llvm.array<4 x i32>
}

// A lane that holds a whole block needs no shuffle.
// CHECK-LABEL: llvm.func @whole_block(
llvm.func @whole_block(%a: vector<32xbf16>, %v: i1) -> i32 {
  // CHECK-NOT: nvvm.shfl.sync
  // CHECK: llvm.return
  %r = mx.block_amax %a valid %v lanes = 1 special = propagate : vector<32xbf16> -> i32
  llvm.return %r : i32
}
