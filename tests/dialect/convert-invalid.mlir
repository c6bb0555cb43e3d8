// As many codes as values, and an element format that codes can be of.
// RUN: mxc-opt %s -split-input-file -verify-diagnostics

llvm.func @pack_length(%x: vector<8xf32>, %m: f32) {
  // expected-error @+1 {{'mx.convert_pack' op}}
  %c = mx.convert_pack %x by %m element = f8E4M3FN scale = f8E8M0FNU : vector<8xf32> -> vector<1xi32>
  llvm.return
}

// -----

llvm.func @pack_element(%x: vector<8xf32>, %m: f32) {
  // expected-error @+1 {{'mx.convert_pack' op}}
  %c = mx.convert_pack %x by %m element = f32 scale = f8E8M0FNU : vector<8xf32> -> vector<2xi32>
  llvm.return
}

// -----

llvm.func @unpack_length(%c: vector<2xi32>, %s: f32) {
  // expected-error @+1 {{'mx.convert_unpack' op}}
  %x = mx.convert_unpack %c by %s element = f8E4M3FN : vector<2xi32> -> vector<4xf32>
  llvm.return
}

// -----

llvm.func @unpack_element(%c: vector<2xi32>, %s: f32) {
  // expected-error @+1 {{'mx.convert_unpack' op}}
  %x = mx.convert_unpack %c by %s element = bf16 : vector<2xi32> -> vector<8xf32>
  llvm.return
}

// -----

llvm.func @random_words(%x: vector<8xf32>, %m: f32, %r: i32) {
  // expected-error @+1 {{expected 2 words of random bits, found 1}}
  %c = mx.convert_pack %x by %m random %r element = f4E2M1FN scale = f8E8M0FNU rounding = stochastic : vector<8xf32> -> vector<1xi32>
  llvm.return
}

// -----

llvm.func @random_nearest(%x: vector<8xf32>, %m: f32, %r: i32) {
  // expected-error @+1 {{expected 0 words of random bits, found 1}}
  %c = mx.convert_pack %x by %m random %r element = f4E2M1FN scale = f8E8M0FNU : vector<8xf32> -> vector<1xi32>
  llvm.return
}

// -----

llvm.func @random_eight_bits(%x: vector<8xf32>, %m: f32, %r: i32) {
  // expected-error @+1 {{rounding = stochastic is for elements of 4 bits, found 'f8E4M3FN'}}
  %c = mx.convert_pack %x by %m random %r, %r element = f8E4M3FN scale = f8E8M0FNU rounding = stochastic : vector<8xf32> -> vector<2xi32>
  llvm.return
}
