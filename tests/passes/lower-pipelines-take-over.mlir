// mx.take_over asks for clusters until there is none: it announces 16 bytes an answer, in a pair in both CTAs.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// CHECK-LABEL: llvm.func @take_over
// 2 warps of 2 CTAs use an answer.
// CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK-NEXT: nvvm.mbarrier.init %{{.*}}, %c4_i32
// CHECK: nvvm.elect.sync
// A turn is a round of the ring: stages are constants, and all have the same parity.
// CHECK: scf.while (%[[PHASE:.*]] = %c0_i32)
// CHECK: %[[EMPTY:.*]] = llvm.getelementptr %[[ANSWER:.*]][272]
// CHECK: %[[OTHER:.*]] = arith.xori %[[PHASE]], %c1_i32
// CHECK: nvvm.mbarrier.try_wait %[[EMPTY]], %[[OTHER]]
// CHECK: %[[FULL:.*]] = llvm.getelementptr %[[EMPTY]][-16]
// CHECK-NEXT: nvvm.mbarrier.arrive.expect_tx %[[FULL]], %c16_i32
// CHECK-NEXT: %[[THERE:.*]] = nvvm.mapa %[[FULL]], %c1_i32
// CHECK-NEXT: nvvm.mbarrier.arrive.expect_tx %[[THERE]], %c16_i32
// CHECK-NEXT: nvvm.clusterlaunchcontrol.try.cancel multicast, %[[ANSWER]], %[[FULL]]
// CHECK: nvvm.mbarrier.try_wait %[[FULL]], %[[PHASE]]
// CHECK: %[[READ:.*]] = llvm.load %[[ANSWER]] {alignment = 16 : i64} : !llvm.ptr<3> -> i128
// CHECK-NEXT: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK: %[[TOOK:.*]] = nvvm.clusterlaunchcontrol.query.cancel query = is_canceled, %[[READ]]
// If that took a cluster over, the next stage.
// CHECK-NEXT: %[[ALL:.*]] = scf.if %[[TOOK]] -> (i1)
// CHECK-NEXT: %[[NEXT_EMPTY:.*]] = llvm.getelementptr %[[ANSWER]][280]
// CHECK: nvvm.mbarrier.try_wait %[[NEXT_EMPTY]], %[[OTHER]]
// CHECK: %[[NEXT_FULL:.*]] = llvm.getelementptr %[[NEXT_EMPTY]][-16]
// CHECK-NEXT: nvvm.mbarrier.arrive.expect_tx %[[NEXT_FULL]], %c16_i32
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-NEXT: %[[NEXT_ANSWER:.*]] = llvm.getelementptr %[[ANSWER]][128]
// CHECK-NEXT: nvvm.clusterlaunchcontrol.try.cancel multicast, %[[NEXT_ANSWER]], %[[NEXT_FULL]]
// CHECK: nvvm.mbarrier.try_wait %[[NEXT_FULL]], %[[PHASE]]
// CHECK: %[[NEXT_READ:.*]] = llvm.load %[[NEXT_ANSWER]]
// CHECK-NEXT: nvvm.fence.proxy
// CHECK-NEXT: %[[NEXT_TOOK:.*]] = nvvm.clusterlaunchcontrol.query.cancel query = is_canceled, %[[NEXT_READ]]
// CHECK-NEXT: scf.yield %[[NEXT_TOOK]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %false
// CHECK: scf.condition(%[[ALL]]) %[[PHASE]]
// CHECK-NOT: try.cancel
llvm.func @take_over(%g: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 96, 1, 1>} {
  mx.pipeline warps = 3 tensor_columns = 0 allocating_warp = 0 pair
  %queue = mx.ring "queue" stages = 2 parts = [16]
  mx.role "schedule" first = 0 warps = 1 leader {
    mx.take_over %queue
  }
  mx.role "work" first = 1 warps = 2 {
    mx.use %queue {
    ^bb0(%stage: i32):
      mx.publish %g : !llvm.ptr<1>
    }
  }
  llvm.return
}
