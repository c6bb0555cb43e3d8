// As many codes as values, and an element format that codes can be of.
// RUN: mxc-opt %s -split-input-file -verify-diagnostics

llvm.func @pack_length(%x: vector<8xf32>, %m: f32) {
  // expected-error @+1 {{'mx.convert_pack' op}}
  %c = mx.convert_pack %x by %m element = f8E4M3FN : vector<8xf32> -> vector<4xi8>
  llvm.return
}

// -----

llvm.func @pack_element(%x: vector<8xf32>, %m: f32) {
  // expected-error @+1 {{'mx.convert_pack' op}}
  %c = mx.convert_pack %x by %m element = f32 : vector<8xf32> -> vector<8xi8>
  llvm.return
}

// -----

llvm.func @unpack_length(%c: vector<8xi8>, %s: f32) {
  // expected-error @+1 {{'mx.convert_unpack' op}}
  %x = mx.convert_unpack %c by %s element = f8E4M3FN : vector<8xi8> -> vector<4xf32>
  llvm.return
}

// -----

llvm.func @unpack_element(%c: vector<8xi8>, %s: f32) {
  // expected-error @+1 {{'mx.convert_unpack' op}}
  %x = mx.convert_unpack %c by %s element = bf16 : vector<8xi8> -> vector<8xf32>
  llvm.return
}
