// Lanes write rows to a warp's box once its last store has read it; one lane stores, and waits in the end.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// CHECK-LABEL: llvm.func @store_box
// CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %c31_i32
// Two boxes of 4096 bytes a warp, in turn.
// CHECK: %[[WARPS:.*]] = arith.muli %{{.*}}, %c8192_i32
// CHECK-NEXT: %[[TURN:.*]] = arith.remui %arg2, %c2_i32
// CHECK-NEXT: %[[BYTES:.*]] = arith.muli %[[TURN]], %c4096_i32
// CHECK-NEXT: arith.addi %[[WARPS]], %[[BYTES]]
// CHECK: %[[BOX:.*]] = llvm.getelementptr
// CHECK: nvvm.elect.sync
// CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK: nvvm.bar.warp.sync
// Row l at 128 l, its first chunk at l % 8: the 128B swizzle.
// CHECK: arith.muli %[[LANE]], %c128_i32
// CHECK: %[[EIGHTH:.*]] = arith.andi %[[LANE]], %c7_i32
// CHECK-NEXT: arith.muli %[[EIGHTH]], %c16_i32
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
// CHECK-NEXT: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT: nvvm.bar.warp.sync
// CHECK-NEXT: nvvm.elect.sync
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %arg0, %[[BOX]], box[%arg2, %arg2]
// CHECK-NEXT: nvvm.cp.async.bulk.commit.group
// CHECK: nvvm.elect.sync
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
llvm.func @store_box(%map: !llvm.ptr, %g: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  mx.pipeline warps = 4 tensor_columns = 0 allocating_warp = 0
  %staging = mx.shared "staging" bytes = 8192 alignment = 1024 : !llvm.ptr<3>
  %row = llvm.mlir.undef : vector<4xf32>
  mx.role "store" first = 0 warps = 1 {
    mx.store_box %row to %map[%n, %n] through %staging box %n buffers = 2 : vector<4xf32> to !llvm.ptr through !llvm.ptr<3>
    mx.drain_stores
  }
  llvm.return
}
