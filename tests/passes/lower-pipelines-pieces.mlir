// Copies by lanes: each makes its pieces, or zeros where there is none, and arrives when they have landed; a product of warpgroups
// reads them after a fence.
// RUN: mxc-opt --mx-lower-pipelines=target=sm_90a --canonicalize --cse %s | FileCheck %s --implicit-check-not=mx.copy

// CHECK-LABEL: llvm.func @pieces
// The full barriers await an arrival a lane, and one of the copies of boxes.
// CHECK: nvvm.mbarrier.init %{{.*}}, %c33_i32
// CHECK: %[[FIRST:.*]] = arith.select %arg3, %c16_i32, %c0_i32
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %arg1, 16, cache = cg, %[[FIRST]]
// The second piece is there for 16 lanes.
// CHECK: %[[HALF:.*]] = arith.cmpi slt, %{{.*}}, %c16_i32
// CHECK-NEXT: scf.if %[[HALF]] {
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %arg1, 16, cache = cg, %[[FIRST]]
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %arg1, 4, cache = ca,
// CHECK-NOT: expect_tx
// CHECK: nvvm.cp.async.mbarrier.arrive %{{.*}} {noinc = true}
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK: nvvm.mbarrier.{{.*}}wait
// CHECK: nvvm.fence.proxy
// CHECK: wgmma
llvm.func @pieces(%map: !llvm.ptr, %g: !llvm.ptr<1>, %n: i32, %there: i1) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>} {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [8192, 1024]
  mx.role "load" first = 4 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_pieces %g, %g at %n, %n where %there, %there to %r[%stage] part = 0 bytes = 16 count = 48 : !llvm.ptr<1>, !llvm.ptr<1>
      mx.copy_pieces %g at %n where %there to %r[%stage] part = 0 bytes = 4 count = 32 : !llvm.ptr<1>
    }
  }
  mx.role "load b" first = 5 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%n] to %r[%stage] part = 1 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "use" first = 0 warps = 4 {
    %sum = mx.use %r -> !mx.accumulator<8> {
    ^bb0(%stage: i32):
      %product = mx.full_rate_product %r[%stage] half = 0 elements f8E4M3FN, f8E4M3FN : !mx.accumulator<8>
      %done = mx.finish %r, %product last : !mx.accumulator<8>
      mx.next %done : !mx.accumulator<8>
    }
    %values = mx.accumulator_columns %sum[0] : !mx.accumulator<8> -> vector<4xf32>
    llvm.store %values, %g : vector<4xf32>, !llvm.ptr<1>
  }
  llvm.return
}
