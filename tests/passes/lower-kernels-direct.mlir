// Four rows a warp, 32 apart: every load is issued before the first use, every store is predicated by its row.
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a --canonicalize --cse %s | FileCheck %s

// CHECK-LABEL: llvm.func @quantize(
// CHECK-SAME: %[[X:.*]]: !llvm.ptr<1>, %[[Q:.*]]: !llvm.ptr<1>, %[[S:.*]]: !llvm.ptr<1>, %[[M:.*]]: i64, %[[K:.*]]: i64)
// CHECK-SAME: attributes {nvvm.kernel, nvvm.minctasm = 4 : i32, nvvm.reqntid = array<i32: 256, 1, 1>}
mx.kernel @quantize(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK-NOT: nvvm.griddepcontrol
  // CHECK: %[[EXISTS:.*]] = arith.cmpi ult
  // CHECK-NEXT: scf.if %[[EXISTS]] {
  // CHECK-NEXT: nvvm.griddepcontrol launch_dependents
  // CHECK-NEXT: nvvm.griddepcontrol wait
  // CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
  // CHECK-NOT: llvm.load
  // CHECK: %[[A:.*]]:4 = mx.block_amax %[[F0:.*]], %{{.*}}, %{{.*}}, %[[F3:.*]] valid %[[V0:.*]], %[[V1:.*]], %[[V2:.*]], %[[V3:.*]] lanes = 4 special = propagate
  // CHECK-NEXT: %{{.*}}, %[[MUL:.*]] = mx.encode_scale %[[A]]#0 element = f8E4M3FN scale = f8E8M0FNU rounding = ceil special = propagate tiny = exact
  // CHECK-NEXT: mx.convert_pack %[[F0]] by %[[MUL]] element = f8E4M3FN scale = f8E8M0FNU : vector<8xbf16> -> vector<2xi32>
  // CHECK: mx.encode_scale %[[A]]#3
  // CHECK-NEXT: mx.convert_pack %[[F3]] by
  // CHECK: "@$0 st.global.v2.b32 [$1], {$2, $3};", "b,l,r,r,~{memory}" %[[V0]],
  // CHECK: "@$0 st.global.v2.b32 [$1], {$2, $3};", "b,l,r,r,~{memory}" %[[V1]],
  // CHECK: "@$0 st.global.v2.b32 [$1], {$2, $3};", "b,l,r,r,~{memory}" %[[V2]],
  // CHECK: "@$0 st.global.v2.b32 [$1], {$2, $3};", "b,l,r,r,~{memory}" %[[V3]],
  // CHECK: llvm.return
  // CHECK-NOT: llvm.func
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) tiles = [#mx.quantize_tile<>]
}
