// The vectors are rows of one matrix: the lowering takes the first one's type for all.
// RUN: mxc-opt %s -verify-diagnostics

llvm.func @mixed(%x: vector<8xbf16>, %y: vector<8xf32>, %v: i1) {
  // expected-error @+1 {{'mx.block_amax' op}}
  %a:2 = mx.block_amax %x, %y valid %v, %v lanes = 4 special = propagate : vector<8xbf16>, vector<8xf32> -> i32, i32
  llvm.return
}
