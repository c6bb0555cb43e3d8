// Threads that fill a stage themselves: a warp fences, meets and arrives; mx.release gives a stage back before its use ends.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// CHECK-LABEL: llvm.func @threads
// Three stages: 3 warps complete a full barrier, 2 an empty one.
// CHECK: nvvm.mbarrier.init %{{.*}}, %c3_i32
// CHECK-NEXT: nvvm.mbarrier.init %{{.*}}, %c2_i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %c3_i32
// CHECK-NEXT: nvvm.mbarrier.init %{{.*}}, %c2_i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %c3_i32
// CHECK-NEXT: nvvm.mbarrier.init %{{.*}}, %c2_i32
// CHECK-NEXT: nvvm.fence.mbarrier.init
// CHECK: nvvm.mbarrier.try_wait %[[EMPTY:.*]], %
// Part 1 begins at a multiple of 1024, so a stage has 2048 bytes.
// CHECK: arith.addi %{{.*}}, %c1024_i32
// CHECK: arith.muli %{{.*}}, %c2048_i32
// CHECK: llvm.store %arg0, %{{.*}} : i32, !llvm.ptr<3>
// CHECK-NEXT: %[[FULL:.*]] = llvm.getelementptr %[[EMPTY]][-24]
// CHECK-NEXT: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT: nvvm.bar.warp.sync
// CHECK-NEXT: %[[LANE:.*]] = nvvm.elect.sync
// CHECK-NEXT: scf.if %[[LANE]] {
// CHECK-NEXT: nvvm.mbarrier.arrive %[[FULL]]
// The second role: given back between the load and the store, and once.
// CHECK: nvvm.mbarrier.try_wait
// CHECK: %[[VALUE:.*]] = llvm.load %[[AT:.*]] : !llvm.ptr<3> -> i32
// CHECK-NEXT: nvvm.bar.warp.sync
// CHECK: nvvm.mbarrier.arrive %
// CHECK: llvm.store %[[VALUE]], %[[AT]]
// CHECK-NOT: nvvm.mbarrier.arrive
llvm.func @threads(%word: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>} {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %ring = mx.ring "rows" stages = 3 parts = [128, 1024]
  mx.role "write" first = 0 warps = 3 {
    mx.fill %ring {
    ^bb0(%stage: i32):
      %at = mx.stage_address %ring[%stage] part = 1 : !llvm.ptr<3>
      llvm.store %word, %at : i32, !llvm.ptr<3>
    }
  }
  mx.role "read" first = 4 warps = 2 {
    mx.use %ring {
    ^bb0(%stage: i32):
      %at = mx.stage_address %ring[%stage] part = 0 : !llvm.ptr<3>
      %value = llvm.load %at : !llvm.ptr<3> -> i32
      mx.release %ring
      llvm.store %value, %at : i32, !llvm.ptr<3>
    }
  }
  llvm.return
}
