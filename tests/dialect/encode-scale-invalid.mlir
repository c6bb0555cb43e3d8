// RUN: mxc-opt %s -split-input-file -verify-diagnostics

llvm.func @element(%a: i32) {
  // expected-error @+1 {{'mx.encode_scale' op}}
  %b, %m = mx.encode_scale %a element = f32 scale = f8E8M0FNU rounding = ceil special = propagate tiny = exact
  llvm.return
}

// -----

llvm.func @two_levels(%a: i32) {
  // expected-error @+1 {{expected a scale of the tensor beside scales of 'f8E4M3FN'}}
  %b, %m = mx.encode_scale %a element = f4E2M1FN scale = f8E4M3FN rounding = ceil special = propagate tiny = exact
  llvm.return
}

// -----

llvm.func @one_level(%a: i32, %t: f32) {
  // expected-error @+1 {{expected no scale of the tensor beside scales of 'f8E8M0FNU'}}
  %b, %m = mx.encode_scale %a in %t element = f4E2M1FN scale = f8E8M0FNU rounding = ceil special = propagate tiny = exact
  llvm.return
}

// -----

llvm.func @decode(%a: i32) {
  // expected-error @+1 {{scale must be a format of scales with a rule, found 'bf16'}}
  %v = mx.decode_scale %a scale = bf16
  llvm.return
}
