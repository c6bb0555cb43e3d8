// Dense scales: one byte a block and row, by the block's first lane, inside the matrix.
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a --canonicalize --cse %s | FileCheck %s

// CHECK-LABEL: llvm.func @quantize(
// CHECK-SAME: %{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %[[S:.*]]: !llvm.ptr<1>,
mx.kernel @quantize(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %c31_i32
  // CHECK: %[[BYTE:.*]], %{{.*}} = mx.encode_scale
  // CHECK-NOT: mx.gather_scales
  // CHECK: %[[INBLOCK:.*]] = arith.andi %[[LANE]], %c3_i32
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[INBLOCK]], %c0_i32
  // CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[BLOCK:.*]], %[[BLOCKS:.*]] : i32
  // CHECK: %[[STORES:.*]] = arith.andi %[[FIRST]], %[[INSIDE]] : i1
  // CHECK-DAG: %[[NARROW:.*]] = arith.trunci %[[BYTE]] : i32 to i8
  // CHECK-DAG: %[[N:.*]] = arith.extui %[[BLOCKS]] : i32 to i64
  // CHECK-DAG: %[[B:.*]] = arith.extui %[[BLOCK]] : i32 to i64
  // CHECK: %[[OFFSET:.*]] = mx.scale_offset[%{{.*}}, %[[B]]] of %[[N]] layout = <dense>
  // CHECK: %[[GUARD:.*]] = arith.andi %[[STORES]], %{{.*}} : i1
  // CHECK-NEXT: scf.if %[[GUARD]] {
  // CHECK-NEXT: %[[PLACE:.*]] = llvm.getelementptr %[[S]][%[[OFFSET]]]
  // CHECK-NEXT: llvm.store %[[NARROW]], %[[PLACE]] {alignment = 1 : i64} : i8, !llvm.ptr<1>
  // CHECK-COUNT-3: llvm.store %{{.*}} : i8, !llvm.ptr<1>
  // CHECK-NOT: llvm.store
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) tiles = [#mx.quantize_tile<>]
}
