// RUN: mxc-opt %s -split-input-file -verify-diagnostics

llvm.func @results(%x: vector<8xbf16>, %v: i1) {
  // expected-error @+1 {{needs one valid flag and one result a vector of elements, found 1 vectors, 1 flags, 2 results}}
  %a, %b = mx.block_amax %x valid %v lanes = 4 special = propagate : vector<8xbf16> -> i32, i32
  llvm.return
}

// -----

llvm.func @lanes(%x: vector<2xbf16>, %v: i1) {
  // expected-error @+1 {{lanes and stride must be powers of two within a warp's 32 lanes, found 3 and 1}}
  %a = mx.block_amax %x valid %v lanes = 3 special = propagate : vector<2xbf16> -> i32
  llvm.return
}

// -----

llvm.func @stride(%x: vector<2xbf16>, %v: i1) {
  // expected-error @+1 {{lanes and stride must be powers of two within a warp's 32 lanes, found 16 and 4}}
  %a = mx.block_amax %x valid %v lanes = 16 stride = 4 special = propagate : vector<2xbf16> -> i32
  llvm.return
}

// -----

llvm.func @block_of_64(%x: vector<8xbf16>, %v: i1) {
  // expected-error @+1 {{elements of 8 lanes must make a block of 16 or 32 or 128, found 'vector<8xbf16>'}}
  %a = mx.block_amax %x valid %v lanes = 8 special = propagate : vector<8xbf16> -> i32
  llvm.return
}

// -----

llvm.func @fp8(%x: vector<8xi8>, %v: i1) {
  // expected-error @+1 {{operand #0 must be variadic of vector of bfloat16 type or 16-bit float or 32-bit float values of ranks 1, but got 'vector<8xi8>'}}
  %a = mx.block_amax %x valid %v lanes = 4 special = propagate : vector<8xi8> -> i32
  llvm.return
}

// -----

llvm.func @special(%x: vector<8xbf16>, %v: i1) {
  // expected-error @+1 {{'ignore' is no such word: expected propagate, saturate, nan_scale}}
  %a = mx.block_amax %x valid %v lanes = 4 special = ignore : vector<8xbf16> -> i32
  llvm.return
}
