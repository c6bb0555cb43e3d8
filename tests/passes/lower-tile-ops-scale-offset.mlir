// The layout's affine map, linearized.
// RUN: mxc-opt --mx-lower-tile-ops %s | FileCheck %s
// RUN: mxc-opt --mx-lower-tile-ops --canonicalize %s | FileCheck %s --check-prefix=VALUE

// CHECK-LABEL: llvm.func @dense(
// CHECK-SAME: %[[R:.*]]: i64, %[[B:.*]]: i64, %[[N:.*]]: i64)
llvm.func @dense(%r: i64, %b: i64, %n: i64) -> i64 {
  // CHECK-NEXT: %[[ROW:.*]] = arith.muli %[[R]], %[[N]] : i64
  // CHECK-NEXT: arith.addi %[[ROW]], %[[B]] : i64
  %offset = mx.scale_offset [%r, %b] of %n layout = <dense>
  llvm.return %offset : i64
}

// CHECK-LABEL: llvm.func @tcgen05(
// CHECK-SAME: %[[R:.*]]: i64, %[[B:.*]]: i64, %[[N:.*]]: i64)
llvm.func @tcgen05(%r: i64, %b: i64, %n: i64) -> i64 {
  // CHECK: %[[UP:.*]] = arith.addi %[[N]], %c3_i64
  // CHECK-NEXT: %[[TILES:.*]] = arith.divui %[[UP]], %c4_i64
  // CHECK-NEXT: %[[RT:.*]] = arith.divui %[[R]], %c128_i64
  // CHECK-NEXT: %[[BT:.*]] = arith.divui %[[B]], %c4_i64
  // CHECK-NEXT: %[[T0:.*]] = arith.muli %[[RT]], %[[TILES]]
  // CHECK-NEXT: %[[TILE:.*]] = arith.addi %[[T0]], %[[BT]]
  // CHECK: arith.remui %[[R]], %c32_i64
  // CHECK: %[[GROUP:.*]] = arith.divui %[[R]], %c32_i64
  // CHECK-NEXT: arith.remui %[[GROUP]], %c4_i64
  // CHECK: arith.remui %[[B]], %c4_i64
  %offset = mx.scale_offset [%r, %b] of %n layout = <tcgen05>
  llvm.return %offset : i64
}

// cuBLAS' check values: row 5 block 0 is byte 80, row 5 block 1 is 81, row 32 block 0 is 4, row 96 block 3 is 15; and row 133
// block 6 of 9 blocks lies in tile 4.
// VALUE-LABEL: llvm.func @values(
llvm.func @values() -> !llvm.array<5 x i64> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %c4 = arith.constant 4 : i64
  %c5 = arith.constant 5 : i64
  %c6 = arith.constant 6 : i64
  %c9 = arith.constant 9 : i64
  %c32 = arith.constant 32 : i64
  %c96 = arith.constant 96 : i64
  %c133 = arith.constant 133 : i64
  %a = mx.scale_offset [%c5, %c0] of %c4 layout = <tcgen05>
  %b = mx.scale_offset [%c5, %c1] of %c4 layout = <tcgen05>
  %c = mx.scale_offset [%c32, %c0] of %c4 layout = <tcgen05>
  %d = mx.scale_offset [%c96, %c3] of %c4 layout = <tcgen05>
  %e = mx.scale_offset [%c133, %c6] of %c9 layout = <tcgen05>
  // VALUE-DAG: %[[A:.*]] = arith.constant 80 : i64
  // VALUE-DAG: %[[B:.*]] = arith.constant 81 : i64
  // VALUE-DAG: %[[C:.*]] = arith.constant 4 : i64
  // VALUE-DAG: %[[D:.*]] = arith.constant 15 : i64
  // VALUE-DAG: %[[E:.*]] = arith.constant 2130 : i64
  // VALUE: llvm.insertvalue %[[A]], %{{.*}}[0]
  // VALUE: llvm.insertvalue %[[B]], %{{.*}}[1]
  // VALUE: llvm.insertvalue %[[C]], %{{.*}}[2]
  // VALUE: llvm.insertvalue %[[D]], %{{.*}}[3]
  // VALUE: llvm.insertvalue %[[E]], %{{.*}}[4]
  %0 = llvm.mlir.poison : !llvm.array<5 x i64>
  %1 = llvm.insertvalue %a, %0[0] : !llvm.array<5 x i64>
  %2 = llvm.insertvalue %b, %1[1] : !llvm.array<5 x i64>
  %3 = llvm.insertvalue %c, %2[2] : !llvm.array<5 x i64>
  %4 = llvm.insertvalue %d, %3[3] : !llvm.array<5 x i64>
  %5 = llvm.insertvalue %e, %4[4] : !llvm.array<5 x i64>
  llvm.return %5 : !llvm.array<5 x i64>
}
