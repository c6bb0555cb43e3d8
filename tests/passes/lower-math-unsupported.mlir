// RUN: mxc-opt --mx-lower-math %s -split-input-file -verify-diagnostics

llvm.func @f(%x: f32) -> i1 {
  // expected-error @+1 {{'math.isnormal' op is not compiled, expected math.absf, math.absi, math.acos,}}
  %b = math.isnormal %x : f32
  llvm.return %b : i1
}

// -----

llvm.func @clamp(%x: f32) -> f32 {
  // expected-error @+1 {{'math.clampf' op is not compiled, expected arith.maximumf and arith.minimumf in its place}}
  %b = math.clampf %x to [%x, %x] : f32
  llvm.return %b : f32
}
