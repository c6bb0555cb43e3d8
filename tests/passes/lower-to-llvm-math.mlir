// math: what mx-lower-math leaves are LLVM's intrinsics.
// RUN: mxc-opt --mx-lower-to-llvm %s | FileCheck %s

// CHECK-LABEL: llvm.func @math
// CHECK: llvm.intr.fma(%arg0, %arg1, %arg0) : (f32, f32, f32) -> f32
// CHECK: llvm.intr.sqrt(%arg0) : (f32) -> f32
// CHECK: llvm.intr.fabs(%arg0) : (f32) -> f32
// CHECK: llvm.intr.copysign(%arg0, %arg1) : (f32, f32) -> f32
// CHECK: llvm.intr.floor(%arg0) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
// CHECK: "llvm.intr.ctlz"(%arg2) <{is_zero_poison = false}> : (i32) -> i32
llvm.func @math(%x: f32, %y: f32, %n: i32) {
  %0 = math.fma %x, %y, %x : f32
  %1 = math.sqrt %x : f32
  %2 = math.absf %x : f32
  %3 = math.copysign %x, %y : f32
  %4 = math.floor %x fastmath<afn> : f32
  %5 = math.ctlz %n : i32
  llvm.return
}

// CHECK-LABEL: llvm.func @reciprocal_root
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(1.000000e+00 : f32) : f32
// CHECK: %[[ROOT:.*]] = llvm.intr.sqrt(%arg0) : (f32) -> f32
// CHECK: llvm.fdiv %[[ONE]], %[[ROOT]] : f32
llvm.func @reciprocal_root(%x: f32) {
  %0 = math.rsqrt %x : f32
  llvm.return
}
