// RUN: mxc-opt --mx-lower-math %s -verify-diagnostics

llvm.func @f(%x: f32) -> i1 {
  // expected-error @+1 {{failed to legalize operation 'math.isnormal'}}
  %b = math.isnormal %x : f32
  llvm.return %b : i1
}
