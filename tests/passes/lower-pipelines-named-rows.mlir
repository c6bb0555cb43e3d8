// Copies by lanes: one of the warp announces the bytes of all, then each lane copies the rows and pieces that it names.
// RUN: mxc-opt --mx-lower-pipelines=target=sm_90a --canonicalize --cse %s | FileCheck %s --implicit-check-not=mx.copy

// CHECK-LABEL: llvm.func @named
// 48 rows of 128 bytes and 48 pieces of 16.
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c6912_i32
// Lane l's first row is row l, for all lanes; the second one is row 32 + l, for 16 of them.
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %arg0, %[[BARRIER:.*]], box[%arg2, %arg2]
// CHECK: %[[HALF:.*]] = arith.cmpi slt, %{{.*}}, %c16_i32
// CHECK-NEXT: scf.if %[[HALF]] {
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %arg0, %[[BARRIER]], box[%arg2, %arg3]
// CHECK: nvvm.cp.async.bulk.shared.cluster.global %{{.*}}, %arg1, %[[BARRIER]], %c16_i32
// CHECK-NEXT: scf.if %[[HALF]] {
// CHECK: nvvm.cp.async.bulk.shared.cluster.global %{{.*}}, %arg1, %[[BARRIER]], %c16_i32
llvm.func @named(%map: !llvm.ptr, %g: !llvm.ptr<1>, %n: i32, %other: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
  mx.pipeline warps = 2 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [6144, 768]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_named_rows %map[%n] rows %n, %other to %r[%stage] part = 0 count = 48 : !llvm.ptr
      mx.copy_pieces %g, %g to %r[%stage] part = 1 count = 48 : !llvm.ptr<1>, !llvm.ptr<1>
    }
  }
  mx.role "use" first = 1 warps = 1 {
    mx.use %r {
    ^bb0(%stage: i32):
      %at = mx.stage_address %r[%stage] part = 0 : !llvm.ptr<3>
      mx.publish %g : !llvm.ptr<1>
    }
  }
  llvm.return
}
