// Elements of 6 bits: a conversion gives a byte for each of two codes, four codes become three bytes, and words are put together
// from those; sixteen codes are three words. Without conversions there are none.
// RUN: mxc-opt --mx-lower-tile-ops='target=sm_100a ptx=91' %s | FileCheck %s
// RUN: mxc-opt --mx-lower-tile-ops='target=sm_100a ptx=90' %s | FileCheck %s --check-prefix=WIDE
// RUN: mxc-opt --mx-lower-tile-ops='target=sm_90a ptx=90' %s | FileCheck %s --check-prefix=ARITHMETIC --implicit-check-not=e2m3

// CHECK-LABEL: llvm.func @pack(
// CHECK-COUNT-4: cvt.rn.satfinite.e2m3x2.bf16x2 code1, $2; mov.b32 $0, {code0, code1};
// CHECK-COUNT-3: llvm.call_intrinsic "llvm.nvvm.prmt"
// CHECK: vector<3xi32>
// WIDE-LABEL: llvm.func @pack(
// WIDE-COUNT-4: {.reg .b16 code<2>; cvt.rn.satfinite.e2m3x2.f32 code0, $2, $1; cvt.rn.satfinite.e2m3x2.f32 code1, $4, $3;
// ARITHMETIC-LABEL: llvm.func @pack(
llvm.func @pack(%x: vector<16xbf16>, %m: f32) -> vector<3xi32> {
  %c = mx.convert_pack %x by %m element = f6E2M3FN scale = f8E8M0FNU : vector<16xbf16> -> vector<3xi32>
  llvm.return %c : vector<3xi32>
}

// Four codes are 24 bits of a word.
// CHECK-LABEL: llvm.func @unpack(
// CHECK-COUNT-2: cvt.rn.f16x2.e3m2x2
// CHECK-NOT: e3m2
// ARITHMETIC-LABEL: llvm.func @unpack(
// ARITHMETIC-NOT: e3m2x2
llvm.func @unpack(%c: vector<1xi32>, %s: f32) -> vector<4xbf16> {
  %x = mx.convert_unpack %c by %s element = f6E3M2FN : vector<1xi32> -> vector<4xbf16>
  llvm.return %x : vector<4xbf16>
}
