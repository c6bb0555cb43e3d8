// bf16 is two elements a register; where the PTX to write has conversions from bf16x2, up to its codes.
// RUN: mxc-opt --mx-lower-tile-ops='target=sm_100a ptx=91' %s | FileCheck %s
// RUN: mxc-opt --mx-lower-tile-ops='target=sm_100a ptx=90' %s | FileCheck %s --check-prefix=WIDE
// RUN: mxc-opt --mx-lower-tile-ops='target=sm_90a ptx=91' %s | FileCheck %s --check-prefix=WIDE

// CHECK-LABEL: llvm.func @convert(
// CHECK-SAME: %[[X:.*]]: vector<4xbf16>, %[[M:.*]]: f32)
// WIDE-LABEL: llvm.func @convert(
llvm.func @convert(%x: vector<4xbf16>, %m: f32) -> vector<1xi32> {
  // CHECK: llvm.call_intrinsic "llvm.nvvm.prmt"(%[[A:.*]], %[[B:.*]], %c30258_i32)
  // CHECK-COUNT-2: arith.mulf %{{.*}} : vector<2xbf16>
  // CHECK-COUNT-2: llvm.inline_asm {{.*}}"cvt.rn.satfinite.e5m2x2.bf16x2 $0, $1;", "=h,r"
  // CHECK-NOT: f32x2
  // WIDE-COUNT-2: arith.mulf %{{.*}} : vector<2xbf16>
  // WIDE-NOT: inline_asm
  // WIDE-COUNT-2: nvvm.convert.f32x2.to.f8x2
  %c = mx.convert_pack %x by %m element = f8E5M2 scale = f8E8M0FNU : vector<4xbf16> -> vector<1xi32>
  llvm.return %c : vector<1xi32>
}

// f16 has not the range to be multiplied in.
// CHECK-LABEL: llvm.func @half(
llvm.func @half(%x: vector<4xf16>, %m: f32) -> vector<1xi32> {
  // CHECK-COUNT-2: nvvm.convert.f32x2.to.f8x2
  %c = mx.convert_pack %x by %m element = f8E4M3FN scale = f8E8M0FNU : vector<4xf16> -> vector<1xi32>
  llvm.return %c : vector<1xi32>
}

// CHECK-LABEL: llvm.func @propagates(
// WIDE-LABEL: llvm.func @propagates(
llvm.func @propagates(%x: vector<8xbf16>, %v: i1) -> i32 {
  // CHECK-COUNT-3: llvm.call_intrinsic "llvm.nvvm.fmax.nan.xorsign.abs.bf16x2"
  // CHECK-NOT: xorsign
  // CHECK: arith.andi %{{.*}}, %c2147450879_i32
  // WIDE-COUNT-3: llvm.call_intrinsic "llvm.nvvm.fmax.nan.xorsign.abs.bf16x2"
  %a = mx.block_amax %x valid %v lanes = 4 special = propagate : vector<8xbf16> -> i32
  llvm.return %a : i32
}

// A zero among them: what is all NaN has the maximum 0.
// CHECK-LABEL: llvm.func @ignores(
llvm.func @ignores(%x: vector<8xbf16>, %v: i1) -> i32 {
  // CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.fmax.xorsign.abs.bf16x2"
  // CHECK: arith.andi %{{.*}}, %c2147450879_i32
  %a = mx.block_amax %x valid %v lanes = 4 special = saturate : vector<8xbf16> -> i32
  llvm.return %a : i32
}

// Two blocks' maxima share a register, and so do their scales: one sum, one mask, one difference for both.
// CHECK-LABEL: llvm.func @pair(
// WIDE-LABEL: llvm.func @pair(
llvm.func @pair(%x: vector<4xbf16>, %y: vector<4xbf16>, %v: i1, %out: !llvm.ptr) {
  // CHECK: %[[ROUNDED:.*]] = arith.addi %[[A:.*]], %c2031647_i32
  // CHECK: arith.andi %[[ROUNDED]], %c-8323200_i32
  // CHECK: %[[SIGNS:.*]] = arith.addi %[[A]], %c8388736_i32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.prmt"(%[[SIGNS]], %[[SIGNS]], %c48025_i32)
  // CHECK-NOT: c23_i32
  // CHECK: "llvm.nvvm.prmt"(%[[M:.*]], %[[M]], %c4112_i32)
  // CHECK: "llvm.nvvm.prmt"(%[[M]], %[[M]], %c12850_i32)
  // WIDE: %[[ROUNDED:.*]] = arith.addi %{{.*}}, %c2031647_i32
  // WIDE: arith.andi %[[ROUNDED]], %c-8323200_i32
  // WIDE-NOT: c23_i32
  // WIDE-COUNT-2: nvvm.convert.f32x2.to.f8x2
  %a, %b = mx.block_amax %x, %y valid %v, %v lanes = 8 special = propagate : vector<4xbf16>, vector<4xbf16> -> i32, i32
  %sx, %mx = mx.encode_scale %a element = f8E4M3FN scale = f8E8M0FNU rounding = ceil special = propagate tiny = exact
  %sy, %my = mx.encode_scale %b element = f8E4M3FN scale = f8E8M0FNU rounding = ceil special = propagate tiny = exact
  %cx = mx.convert_pack %x by %mx element = f8E4M3FN scale = f8E8M0FNU : vector<4xbf16> -> vector<1xi32>
  %cy = mx.convert_pack %y by %my element = f8E4M3FN scale = f8E8M0FNU : vector<4xbf16> -> vector<1xi32>
  llvm.store volatile %cx, %out : vector<1xi32>, !llvm.ptr
  llvm.store volatile %cy, %out : vector<1xi32>, !llvm.ptr
  llvm.store volatile %sx, %out : i32, !llvm.ptr
  llvm.store volatile %sy, %out : i32, !llvm.ptr
  llvm.return
}
