// Blocks along columns, whole in a lane (of 16 rows here): maxima of two columns a register, no shuffle; two rows of a
// column a conversion.
// RUN: mxc-opt --mx-lower-tile-ops --canonicalize %s | FileCheck %s

// CHECK-LABEL: llvm.func @amax_bf16(
llvm.func @amax_bf16(%r0: vector<2xbf16>, %r1: vector<2xbf16>, %r2: vector<2xbf16>, %r3: vector<2xbf16>, %r4: vector<2xbf16>, %r5: vector<2xbf16>, %r6: vector<2xbf16>, %r7: vector<2xbf16>, %r8: vector<2xbf16>, %r9: vector<2xbf16>, %r10: vector<2xbf16>, %r11: vector<2xbf16>, %r12: vector<2xbf16>, %r13: vector<2xbf16>, %r14: vector<2xbf16>, %r15: vector<2xbf16>) -> i32 {
  // CHECK-COUNT-16: arith.andi %{{.*}}, %c2147450879_i32
  // CHECK-COUNT-15: llvm.intr.umax
  // CHECK-NOT: nvvm.shfl
  // CHECK: %[[PAIR:.*]] = llvm.bitcast %{{.*}} : vector<2xi16> to i32
  // CHECK: %[[FIRST:.*]] = arith.shli %[[PAIR]], %c16_i32
  // CHECK: %[[SECOND:.*]] = arith.andi %[[PAIR]], %c-65536_i32
  // CHECK: arith.addi %[[FIRST]], %[[SECOND]]
  %a:2 = mx.column_amax %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15 special = propagate : vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16> -> i32, i32
  %sum = arith.addi %a#0, %a#1 : i32
  llvm.return %sum : i32
}

// CHECK-LABEL: llvm.func @amax_f32(
llvm.func @amax_f32(%r0: vector<2xf32>, %r1: vector<2xf32>, %r2: vector<2xf32>, %r3: vector<2xf32>, %r4: vector<2xf32>, %r5: vector<2xf32>, %r6: vector<2xf32>, %r7: vector<2xf32>, %r8: vector<2xf32>, %r9: vector<2xf32>, %r10: vector<2xf32>, %r11: vector<2xf32>, %r12: vector<2xf32>, %r13: vector<2xf32>, %r14: vector<2xf32>, %r15: vector<2xf32>) -> i32 {
  // CHECK-COUNT-15: llvm.intr.maxnum
  // CHECK: llvm.intr.maxnum(%{{.*}}, %cst)
  // CHECK-COUNT-16: llvm.intr.maxnum
  %a:2 = mx.column_amax %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15 special = saturate : vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32> -> i32, i32
  %sum = arith.addi %a#0, %a#1 : i32
  llvm.return %sum : i32
}

// CHECK-LABEL: llvm.func @by_columns(
// CHECK-SAME: %[[R0:[a-z0-9]+]]: vector<2xf32>, %[[R1:[a-z0-9]+]]: vector<2xf32>, {{.*}}, %[[M0:[a-z0-9]+]]: f32, %[[M1:[a-z0-9]+]]: f32)
llvm.func @by_columns(%r0: vector<2xf32>, %r1: vector<2xf32>, %r2: vector<2xf32>, %r3: vector<2xf32>, %r4: vector<2xf32>, %r5: vector<2xf32>, %r6: vector<2xf32>, %r7: vector<2xf32>, %r8: vector<2xf32>, %r9: vector<2xf32>, %r10: vector<2xf32>, %r11: vector<2xf32>, %r12: vector<2xf32>, %r13: vector<2xf32>, %r14: vector<2xf32>, %r15: vector<2xf32>, %m0: f32, %m1: f32) -> vector<4xi32> {
  // CHECK: %[[A0:.*]] = llvm.extractelement %[[R0]][%c0_i32 : i32]
  // CHECK: %[[B0:.*]] = llvm.extractelement %[[R0]][%c1_i32 : i32]
  // CHECK: %[[X0:.*]] = arith.mulf %[[A0]], %[[M0]]
  // CHECK: arith.mulf %[[B0]], %[[M1]]
  // CHECK: %[[A1:.*]] = llvm.extractelement %[[R1]][%c0_i32 : i32]
  // CHECK: %[[X1:.*]] = arith.mulf %[[A1]], %[[M0]]
  // CHECK: nvvm.convert.f32x2.to.f8x2 %[[X1]], %[[X0]]
  %c:2 = mx.convert_columns %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15 by %m0, %m1 element = f8E4M3FN scale = f8E8M0FNU transpose : vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32> -> vector<4xi32>, vector<4xi32>
  llvm.return %c#0 : vector<4xi32>
}

// CHECK-LABEL: llvm.func @by_rows(
// CHECK-SAME: %[[R0:[a-z0-9]+]]: vector<2xf32>, %{{.*}}, %[[M0:[a-z0-9]+]]: f32, %[[M1:[a-z0-9]+]]: f32)
llvm.func @by_rows(%r0: vector<2xf32>, %r1: vector<2xf32>, %r2: vector<2xf32>, %r3: vector<2xf32>, %r4: vector<2xf32>, %r5: vector<2xf32>, %r6: vector<2xf32>, %r7: vector<2xf32>, %r8: vector<2xf32>, %r9: vector<2xf32>, %r10: vector<2xf32>, %r11: vector<2xf32>, %r12: vector<2xf32>, %r13: vector<2xf32>, %r14: vector<2xf32>, %r15: vector<2xf32>, %m0: f32, %m1: f32) -> vector<1xi32> {
  // CHECK: %[[X0:.*]] = arith.mulf %{{.*}}, %[[M0]]
  // CHECK: %[[Y0:.*]] = arith.mulf %{{.*}}, %[[M1]]
  // CHECK: nvvm.convert.f32x2.to.f8x2 %[[Y0]], %[[X0]]
  %c:16 = mx.convert_columns %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15 by %m0, %m1 element = f8E4M3FN scale = f8E8M0FNU : vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32> -> vector<1xi32>, vector<1xi32>, vector<1xi32>, vector<1xi32>, vector<1xi32>, vector<1xi32>, vector<1xi32>, vector<1xi32>, vector<1xi32>, vector<1xi32>, vector<1xi32>, vector<1xi32>, vector<1xi32>, vector<1xi32>, vector<1xi32>, vector<1xi32>
  llvm.return %c#0 : vector<1xi32>
}
