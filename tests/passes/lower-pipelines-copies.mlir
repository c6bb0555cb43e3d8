// Copies of a fill: each by an elected lane, into its part and offset; their bytes are announced once, as a sum.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// CHECK-LABEL: llvm.func @copies
// CHECK: %[[BASE:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<3> to i32
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c2048_i32
// CHECK-NOT: expect_tx
// A stage has 3072 bytes: a part of a multiple of 1024 begins at one.
// CHECK: %[[STAGE:.*]] = arith.muli %{{.*}}, %c3072_i32
// CHECK-NEXT: %[[AT:.*]] = arith.addi %[[BASE]], %[[STAGE]]
// CHECK-NEXT: %[[PART:.*]] = llvm.inttoptr %[[AT]]
// CHECK: nvvm.elect.sync
// CHECK: bulk.tensor.shared.cluster.global %[[PART]], %arg0, %[[FULL:.*]], box[%arg2, %arg3] {isCTAOnly = true}
// CHECK: %[[OFFSET:.*]] = arith.extui %arg4 : i32 to i64
// CHECK: %[[LATER:.*]] = llvm.getelementptr %[[PART]][%[[OFFSET]]]
// CHECK: nvvm.elect.sync
// CHECK: bulk.tensor.shared.cluster.global %[[LATER]], %arg0, %[[FULL]], box[%arg2, %arg3] {isCTAOnly = true}
// CHECK: %[[SECOND:.*]] = arith.addi %[[BASE]], %c2048_i32
// CHECK: arith.addi %[[SECOND]], %[[STAGE]]
// CHECK: nvvm.elect.sync
// CHECK: bulk.tensor.shared.cluster.global %{{.*}}, %arg1, %[[FULL]], box[%arg2, %arg3, %arg2] {isCTAOnly = true}
llvm.func @copies(%map: !llvm.ptr, %scales: !llvm.ptr, %x: i32, %y: i32, %offset: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
  mx.pipeline warps = 2 tensor_columns = 0 allocating_warp = 0
  %ring = mx.ring "codes" stages = 4 parts = [2048, 512]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %ring {
    ^bb0(%stage: i32):
      mx.copy_box %map[%x, %y] to %ring[%stage] part = 0 bytes = 1024 : !llvm.ptr
      mx.copy_box %map[%x, %y] to %ring[%stage] part = 0 offset %offset bytes = 512 : !llvm.ptr
      mx.copy_box %scales[%x, %y, %x] to %ring[%stage] part = 1 bytes = 512 : !llvm.ptr
    }
  }
  mx.role "use" first = 1 warps = 1 {
    mx.use %ring {
    ^bb0(%stage: i32):
    }
  }
  llvm.return
}
