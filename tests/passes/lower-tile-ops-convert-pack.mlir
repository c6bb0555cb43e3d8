// Elements times the multiplier, two a conversion: the even one is the low byte.
// RUN: mxc-opt --mx-lower-tile-ops %s | FileCheck %s

// bf16 is multiplied two a register; it is the upper half of an f32.
// CHECK-LABEL: llvm.func @bf16_e4m3(
// CHECK-SAME: %[[X:.*]]: vector<4xbf16>, %[[M:.*]]: f32)
llvm.func @bf16_e4m3(%x: vector<4xbf16>, %m: f32) -> vector<1xi32> {
  // CHECK: %[[M0:.*]] = llvm.bitcast %[[M]] : f32 to i32
  // CHECK: %[[MM:.*]] = llvm.call_intrinsic "llvm.nvvm.prmt"(%[[M0]], %{{.*}}, %c30258_i32)
  // CHECK-NEXT: %[[MULTIPLIERS:.*]] = llvm.bitcast %[[MM]] : i32 to vector<2xbf16>
  // CHECK: %[[WORDS:.*]] = llvm.bitcast %[[X]] : vector<4xbf16> to vector<2xi32>
  // CHECK: %[[SCALED:.*]] = arith.mulf %{{.*}}, %[[MULTIPLIERS]] : vector<2xbf16>
  // CHECK: %[[OTHERS:.*]] = arith.mulf %{{.*}}, %[[MULTIPLIERS]] : vector<2xbf16>
  // CHECK: llvm.bitcast %[[SCALED]] : vector<2xbf16> to vector<1xi32>
  // CHECK: %[[L:.*]] = arith.shli %[[WORD:.*]], %c16_i32 : i32
  // CHECK-NEXT: %[[LOW:.*]] = llvm.bitcast %[[L]] : i32 to f32
  // CHECK-NEXT: %[[H:.*]] = arith.andi %[[WORD]], %c-65536_i32 : i32
  // CHECK-NEXT: %[[HIGH:.*]] = llvm.bitcast %[[H]] : i32 to f32
  // CHECK: %[[P0:.*]] = nvvm.convert.f32x2.to.f8x2 %[[HIGH]], %[[LOW]] {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : i16(f8E4M3FN)
  // CHECK: llvm.bitcast %[[OTHERS]] : vector<2xbf16> to vector<1xi32>
  // CHECK: %[[P1:.*]] = nvvm.convert.f32x2.to.f8x2 {{.*}} : i16(f8E4M3FN)
  // CHECK-NEXT: %[[V0:.*]] = llvm.insertelement %[[P0]], %{{.*}}[%c0_i32 : i32] : vector<2xi16>
  // CHECK-NEXT: %[[V1:.*]] = llvm.insertelement %[[P1]], %[[V0]][%c1_i32 : i32] : vector<2xi16>
  // CHECK-NEXT: llvm.bitcast %[[V1]] : vector<2xi16> to vector<1xi32>
  %c = mx.convert_pack %x by %m element = f8E4M3FN scale = f8E8M0FNU : vector<4xbf16> -> vector<1xi32>
  llvm.return %c : vector<1xi32>
}

// CHECK-LABEL: llvm.func @f16_e5m2(
llvm.func @f16_e5m2(%x: vector<4xf16>, %m: f32) -> vector<1xi32> {
  // CHECK-COUNT-4: arith.extf %{{.*}} : f16 to f32
  // CHECK-COUNT-2: arith.mulf %{{.*}} : vector<2xf32>
  // CHECK-COUNT-2: nvvm.convert.f32x2.to.f8x2 {{.*}}satfinite>} : i16(f8E5M2)
  %c = mx.convert_pack %x by %m element = f8E5M2 scale = f8E8M0FNU : vector<4xf16> -> vector<1xi32>
  llvm.return %c : vector<1xi32>
}

// CHECK-LABEL: llvm.func @f32_e4m3(
llvm.func @f32_e4m3(%x: vector<4xf32>, %m: f32) -> vector<1xi32> {
  // CHECK-NOT: arith.extf
  // CHECK-COUNT-2: arith.mulf %{{.*}} : vector<2xf32>
  // CHECK-COUNT-2: nvvm.convert.f32x2.to.f8x2
  %c = mx.convert_pack %x by %m element = f8E4M3FN scale = f8E8M0FNU : vector<4xf32> -> vector<1xi32>
  llvm.return %c : vector<1xi32>
}

// Under a scale that is no power of two the product is rounded to f32, not to bf16.
// CHECK-LABEL: llvm.func @bf16_quotient(
llvm.func @bf16_quotient(%x: vector<4xbf16>, %m: f32) -> vector<1xi32> {
  // CHECK-NOT: vector<2xbf16>
  // CHECK-COUNT-2: arith.mulf %{{.*}} : vector<2xf32>
  // CHECK-COUNT-2: nvvm.convert.f32x2.to.f8x2
  %c = mx.convert_pack %x by %m element = f8E4M3FN scale = f32 : vector<4xbf16> -> vector<1xi32>
  llvm.return %c : vector<1xi32>
}
