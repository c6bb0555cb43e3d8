// Boxes of fragments whose rows are the box's columns, 16 of them.
// RUN: mxc-opt --mx-lower-pipelines=target=sm_90a --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// Elements of 16 bits leave as transposed matrices, four at a time: 16 rows of 32 bytes, whose two pieces change places from four rows
// to the next.
// CHECK-LABEL: llvm.func @halves
// CHECK: stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [$0], {$1, $2, $3, $4};
// CHECK: arith.addi %{{.*}}, %c512_i32
// CHECK: stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [$0], {$1, $2, $3, $4};
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %arg0
llvm.func @halves(%map: !llvm.ptr, %box: i32, %n: i32, %left: vector<2xbf16>, %right: vector<2xbf16>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 160, 1, 1>} {
  mx.pipeline warps = 5 tensor_columns = 0 allocating_warp = 0
  %staging = mx.shared "staging" bytes = 24576 alignment = 1024 : !llvm.ptr<3>
  mx.role "store" first = 1 warps = 4 {
    mx.store_box fragments transposed %left, %right, %left, %right, %left, %right, %left, %right to %map[%n, %n] through %staging box %box buffers = 3 : vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16> to !llvm.ptr through !llvm.ptr<3>
  }
  llvm.return
}

// With 32 bits each element lies in a row of its own, of 64 bytes.
// CHECK-LABEL: llvm.func @words
// CHECK-NOT: stmatrix
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<3>
// CHECK: llvm.getelementptr %{{.*}}[64]
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<3>
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %arg0
llvm.func @words(%map: !llvm.ptr, %box: i32, %n: i32, %left: vector<2xf32>, %right: vector<2xf32>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 160, 1, 1>} {
  mx.pipeline warps = 5 tensor_columns = 0 allocating_warp = 0
  %staging = mx.shared "staging" bytes = 24576 alignment = 1024 : !llvm.ptr<3>
  mx.role "store" first = 1 warps = 4 {
    mx.store_box fragments transposed %left, %right, %left, %right to %map[%n, %n] through %staging box %box buffers = 3 : vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32> to !llvm.ptr through !llvm.ptr<3>
  }
  llvm.return
}
