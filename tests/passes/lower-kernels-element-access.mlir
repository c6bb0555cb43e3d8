// Any K and any alignment: 2-byte loads and 1-byte stores, each inside its row; elements past the end count as +0.
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a --canonicalize --cse %s | FileCheck %s

// CHECK-LABEL: llvm.func @quantize(
// CHECK-SAME: %[[X:.*]]: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %[[M:.*]]: i64, %[[K:.*]]: i64)
mx.kernel @quantize(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : bf16
  // Rows and columns are counted in 64 bits: any extent.
  // CHECK: %[[VALID:.*]] = arith.cmpi slt, %[[COLUMN:.*]], %[[K]] : i64
  // CHECK: llvm.getelementptr %[[X]]
  // CHECK-NEXT: arith.select %[[VALID]], %[[COLUMN]], %c0_i64 : i64
  // CHECK: %[[LOADED:.*]] = llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> bf16
  // CHECK-NEXT: %[[VALUE:.*]] = arith.select %[[VALID]], %[[LOADED]], %[[ZERO]] : bf16
  // CHECK-COUNT-7: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> bf16
  // CHECK-NOT: llvm.load
  // CHECK: mx.convert_pack {{.*}} -> vector<2xi32>
  // CHECK: llvm.bitcast %{{.*}} : vector<2xi32> to vector<8xi8>
  // CHECK-COUNT-8: llvm.store %{{.*}} {alignment = 1 : i64} : i8, !llvm.ptr<1>
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      tiles = [#mx.quantize_tile<rows_per_warp = 1, access = element>]
}
