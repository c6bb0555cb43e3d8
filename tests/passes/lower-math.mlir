// RUN: mxc-opt --mx-lower-math %s | FileCheck %s

// CHECK-DAG: llvm.func @__nv_expf(f32) -> f32
// CHECK-DAG: llvm.func @__nv_tanhf(f32) -> f32
// CHECK-DAG: llvm.func @__nv_powf(f32, f32) -> f32
// CHECK-LABEL: llvm.func @libdevice(
// CHECK-SAME: %[[X:.*]]: f32)
llvm.func @libdevice(%x: f32) -> f32 {
  // CHECK: %[[E:.*]] = llvm.call @__nv_expf(%[[X]]) : (f32) -> f32
  %e = math.exp %x : f32
  // CHECK-NEXT: %[[T:.*]] = llvm.call @__nv_tanhf(%[[E]]) : (f32) -> f32
  %t = math.tanh %e : f32
  // CHECK-NEXT: %[[R:.*]] = llvm.call @__nv_erff(%[[T]]) : (f32) -> f32
  %r = math.erf %t : f32
  // CHECK-NEXT: %[[Q:.*]] = llvm.call @__nv_rsqrtf(%[[R]]) : (f32) -> f32
  %q = math.rsqrt %r : f32
  // CHECK-NEXT: llvm.call @__nv_powf(%[[Q]], %[[X]]) : (f32, f32) -> f32
  %p = math.powf %q, %x : f32
  llvm.return %p : f32
}

// The chip's instructions, or exact sequences: convert-math-to-llvm takes them.
// CHECK-LABEL: llvm.func @left_to_llvm(
llvm.func @left_to_llvm(%x: f32) -> f32 {
  // CHECK-NEXT: math.sqrt
  %a = math.sqrt %x : f32
  // CHECK-NEXT: math.fma
  %b = math.fma %a, %x, %x : f32
  // CHECK-NEXT: math.absf
  %c = math.absf %b : f32
  // CHECK-NEXT: math.floor
  %d = math.floor %c : f32
  // CHECK-NEXT: math.ceil
  %e = math.ceil %d : f32
  // CHECK-NEXT: math.roundeven
  %f = math.roundeven %e : f32
  // CHECK-NEXT: math.copysign
  %g = math.copysign %f, %x : f32
  llvm.return %g : f32
}
