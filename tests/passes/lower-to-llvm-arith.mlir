// arith: each operation becomes its one of LLVM, with its flags; of vectors too.
// RUN: mxc-opt --mx-lower-to-llvm %s | FileCheck %s

// CHECK-LABEL: llvm.func @integers
// CHECK: llvm.add %arg0, %arg1 overflow<nsw> : i32
// CHECK: llvm.icmp "ult" %arg0, %arg1 : i32
// CHECK: llvm.select %{{.*}}, %arg0, %arg1 : i1, i32
// CHECK: llvm.zext %arg0 : i32 to i64
// CHECK: llvm.intr.umin(%arg0, %arg1) : (i32, i32) -> i32
llvm.func @integers(%a: i32, %b: i32) {
  %sum = arith.addi %a, %b overflow<nsw> : i32
  %less = arith.cmpi ult, %a, %b : i32
  %one = arith.select %less, %a, %b : i32
  %wide = arith.extui %a : i32 to i64
  %least = arith.minui %a, %b : i32
  llvm.return
}

// The high word of a product, by which tiles are counted, is a product of twice the width.
// CHECK-LABEL: llvm.func @extended
// CHECK: %[[A:.*]] = llvm.zext %arg0 : i32 to i64
// CHECK: %[[B:.*]] = llvm.zext %arg1 : i32 to i64
// CHECK: %[[WIDE:.*]] = llvm.mul %[[A]], %[[B]] : i64
// CHECK: %[[HIGH:.*]] = llvm.lshr %[[WIDE]], %{{.*}} : i64
// CHECK: llvm.trunc %[[HIGH]] : i64 to i32
llvm.func @extended(%a: i32, %b: i32) {
  %low, %high = arith.mului_extended %a, %b : i32
  llvm.return
}

// CHECK-LABEL: llvm.func @floats
// CHECK: llvm.fmul %arg0, %arg0 {fastmathFlags = #llvm.fastmath<contract>} : vector<4xf32>
// CHECK: llvm.mlir.constant(dense<0.000000e+00> : vector<4xf32>) : vector<4xf32>
// CHECK: llvm.fptrunc %arg1 : f32 to bf16
// CHECK: llvm.bitcast %arg1 : f32 to i32
// CHECK: llvm.intr.maximum(%arg1, %arg1) : (f32, f32) -> f32
llvm.func @floats(%v: vector<4xf32>, %x: f32) {
  %product = arith.mulf %v, %v fastmath<contract> : vector<4xf32>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %narrow = arith.truncf %x : f32 to bf16
  %bits = arith.bitcast %x : f32 to i32
  %greater = arith.maximumf %x, %x : f32
  llvm.return
}
