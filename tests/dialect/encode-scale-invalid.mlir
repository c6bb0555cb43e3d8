// RUN: mxc-opt %s -verify-diagnostics

llvm.func @element(%a: i32) {
  // expected-error @+1 {{'mx.encode_scale' op}}
  %b, %m = mx.encode_scale %a element = f32 rounding = ceil special = propagate tiny = exact
  llvm.return
}
