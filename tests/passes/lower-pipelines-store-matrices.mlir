// Boxes of fragments of 16 bits on chips whose warps multiply: matrices of 8 rows of 8 columns.
// RUN: mxc-opt --mx-lower-pipelines=target=sm_120a --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// Elements of 16 bits leave as matrices, four at a time: two of 8 rows in each of two octets of columns.
// CHECK-LABEL: llvm.func @store_matrices
// CHECK: %[[CHUNK:.*]] = arith.muli %{{.*}}, %c16_i32
// CHECK: stmatrix.sync.aligned.m8n8.x4.shared.b16 [$0], {$1, $2, $3, $4};
// CHECK: arith.xori %[[CHUNK]], %c32_i32
// CHECK: stmatrix.sync.aligned.m8n8.x2.shared.b16 [$0], {$1, $2};
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %arg0
llvm.func @store_matrices(%map: !llvm.ptr, %box: i32, %n: i32, %top: vector<2xbf16>, %bottom: vector<2xbf16>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 160, 1, 1>} {
  mx.pipeline warps = 5 tensor_columns = 0 allocating_warp = 0
  %staging = mx.shared "staging" bytes = 24576 alignment = 1024 : !llvm.ptr<3>
  mx.role "store" first = 1 warps = 4 {
    mx.store_box fragments %top, %bottom, %top, %bottom, %top, %bottom to %map[%n, %n] through %staging box %box buffers = 3 : vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16> to !llvm.ptr through !llvm.ptr<3>
  }
  llvm.return
}
