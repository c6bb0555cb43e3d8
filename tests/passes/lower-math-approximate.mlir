// fastmath<afn>: the special-function unit's approximations; other flags are not enough.
// RUN: mxc-opt --mx-lower-math %s | FileCheck %s

// CHECK-LABEL: llvm.func @afn(
// CHECK-SAME: %[[X:.*]]: f32, %[[Y:.*]]: f32)
llvm.func @afn(%x: f32, %y: f32) -> f32 {
  // CHECK-DAG: %[[LOG2E:.*]] = arith.constant 1.44269502 : f32
  // CHECK-DAG: %[[LN2:.*]] = arith.constant 0.693147182 : f32
  // CHECK: %[[P:.*]] = arith.mulf %[[X]], %[[LOG2E]] : f32
  // CHECK-NEXT: %[[E:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[P]])
  %e = math.exp %x fastmath<afn> : f32
  // CHECK-NEXT: %[[E2:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[E]])
  %e2 = math.exp2 %e fastmath<afn> : f32
  // CHECK-NEXT: %[[L:.*]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"(%[[E2]])
  // CHECK-NEXT: %[[LN:.*]] = arith.mulf %[[L]], %[[LN2]] : f32
  %ln = math.log %e2 fastmath<afn> : f32
  // CHECK-NEXT: %[[L2:.*]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"(%[[LN]])
  %l2 = math.log2 %ln fastmath<fast> : f32
  // CHECK-NEXT: %[[R:.*]] = llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.ftz.f"(%[[L2]])
  %r = math.rsqrt %l2 fastmath<afn> : f32
  // CHECK-NEXT: %[[I:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[Y]])
  // CHECK-NEXT: arith.mulf %[[R]], %[[I]] : f32
  %d = arith.divf %r, %y fastmath<afn> : f32
  // CHECK-NEXT: llvm.call_intrinsic "llvm.tanh.f32"(%{{.*}}) {fastmathFlags = #llvm.fastmath<afn>}
  %t = math.tanh %d fastmath<afn> : f32
  llvm.return %t : f32
}

// CHECK-LABEL: llvm.func @other_flags(
llvm.func @other_flags(%x: f32, %y: f32) -> f32 {
  // CHECK-NEXT: llvm.call @__nv_expf
  %e = math.exp %x fastmath<contract,nnan> : f32
  // CHECK-NEXT: arith.divf
  %d = arith.divf %e, %y fastmath<arcp> : f32
  llvm.return %d : f32
}
