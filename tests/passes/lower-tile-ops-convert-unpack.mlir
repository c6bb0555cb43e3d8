// Every fp8 value is an f16: decoded as that, multiplied in f32 (exact), rounded once.
// RUN: mxc-opt --mx-lower-tile-ops %s | FileCheck %s

// CHECK-LABEL: llvm.func @e5m2_bf16(
// CHECK-SAME: %[[C:.*]]: vector<1xi32>, %[[S:.*]]: f32)
llvm.func @e5m2_bf16(%c: vector<1xi32>, %s: f32) -> vector<4xbf16> {
  // CHECK: %[[PAIRS:.*]] = llvm.bitcast %[[C]] : vector<1xi32> to vector<2xi16>
  // CHECK-NEXT: %[[PAIR:.*]] = llvm.extractelement %[[PAIRS]][%c0_i32 : i32]
  // CHECK-NEXT: %[[BYTES:.*]] = llvm.bitcast %[[PAIR]] : i16 to vector<2xi8>
  // CHECK-NEXT: %[[HALVES:.*]] = nvvm.convert.f8x2.to.f16x2 %[[BYTES]] : vector<2xi8>(f8E5M2) -> vector<2xf16>
  // CHECK-NEXT: %[[LOW:.*]] = llvm.extractelement %[[HALVES]][%c0_i32 : i32]
  // CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[LOW]] : f16 to f32
  // CHECK-NEXT: %[[VALUE:.*]] = arith.mulf %[[WIDE]], %[[S]] : f32
  // CHECK-NEXT: %[[OUT:.*]] = arith.truncf %[[VALUE]] : f32 to bf16
  // CHECK-NEXT: llvm.extractelement %[[HALVES]][%c1_i32 : i32]
  // CHECK: llvm.insertelement %[[OUT]], %{{.*}}[%c0_i32 : i32] : vector<4xbf16>
  %x = mx.convert_unpack %c by %s element = f8E5M2 : vector<1xi32> -> vector<4xbf16>
  llvm.return %x : vector<4xbf16>
}

// CHECK-LABEL: llvm.func @e4m3_f32(
llvm.func @e4m3_f32(%c: vector<2xi32>, %s: f32) -> vector<8xf32> {
  // CHECK-COUNT-4: nvvm.convert.f8x2.to.f16x2 %{{.*}} : vector<2xi8>(f8E4M3FN) -> vector<2xf16>
  // CHECK-NOT: arith.truncf
  %x = mx.convert_unpack %c by %s element = f8E4M3FN : vector<2xi32> -> vector<8xf32>
  llvm.return %x : vector<8xf32>
}

// CHECK-LABEL: llvm.func @e4m3_f16(
llvm.func @e4m3_f16(%c: vector<1xi32>, %s: f32) -> vector<4xf16> {
  // CHECK: arith.truncf %{{.*}} : f32 to f16
  %x = mx.convert_unpack %c by %s element = f8E4M3FN : vector<1xi32> -> vector<4xf16>
  llvm.return %x : vector<4xf16>
}
