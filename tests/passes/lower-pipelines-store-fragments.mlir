// A box of fragments: a lane has two columns of rows l / 4 and l / 4 + 8, 2048 bytes a box.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// CHECK-LABEL: llvm.func @store_fragments
// CHECK: %[[WARPS:.*]] = arith.muli %{{.*}}, %c6144_i32
// CHECK: %[[TURN:.*]] = arith.remui %arg1, %c3_i32
// CHECK-NEXT: arith.muli %[[TURN]], %c2048_i32
// CHECK: nvvm.cp.async.bulk.wait_group 2 {read}
// CHECK: %[[ROW:.*]] = arith.shrui %{{.*}}, %c2_i32
// CHECK-NEXT: %[[SWIZZLE:.*]] = arith.muli %[[ROW]], %c16_i32
// CHECK: %[[QUARTER:.*]] = arith.andi %{{.*}}, %c3_i32
// CHECK-NEXT: %[[COLUMNS:.*]] = arith.muli %[[QUARTER]], %c8_i32
// CHECK-NEXT: arith.xori %[[COLUMNS]], %[[SWIZZLE]]
// CHECK: arith.muli %[[ROW]], %c128_i32
// CHECK: llvm.store %arg3, %[[TOP:.*]] {alignment = 8 : i64}
// CHECK-NEXT: %[[BOTTOM:.*]] = llvm.getelementptr %[[TOP]][1024]
// CHECK-NEXT: llvm.store %arg4, %[[BOTTOM]] {alignment = 8 : i64}
// The next 8 columns are 32 bytes on.
// CHECK: %[[NEXT:.*]] = arith.addi %[[COLUMNS]], %c32_i32
// CHECK-NEXT: arith.xori %[[NEXT]], %[[SWIZZLE]]
// CHECK: llvm.store %arg3
// CHECK: llvm.store %arg4
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %arg0
llvm.func @store_fragments(%map: !llvm.ptr, %box: i32, %n: i32, %top: vector<2xf32>, %bottom: vector<2xf32>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 160, 1, 1>} {
  mx.pipeline warps = 5 tensor_columns = 0 allocating_warp = 0
  %staging = mx.shared "staging" bytes = 24576 alignment = 1024 : !llvm.ptr<3>
  mx.role "store" first = 1 warps = 4 {
    mx.store_box fragments %top, %bottom, %top, %bottom to %map[%n, %n] through %staging box %box buffers = 3 : vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32> to !llvm.ptr through !llvm.ptr<3>
  }
  llvm.return
}
