// RUN: mxc-opt %s -split-input-file -verify-diagnostics

llvm.func @two_rows(%a: i32, %b: i32, %lane: i32) {
  // expected-error @+1 {{takes the bytes of one row or of four, found 2}}
  %w = mx.gather_scales %a, %b lane %lane lanes = 4
  llvm.return
}

// -----

llvm.func @lanes(%a: i32, %lane: i32) {
  // expected-error @+1 {{lanes must be 1, 2, 4 or 8, found 32}}
  %w = mx.gather_scales %a lane %lane lanes = 32
  llvm.return
}
