// Tiles by cluster launch control: the role that hands out asks for clusters which were not launched yet, and publishes records as it
// does by a counter.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// CHECK-LABEL: llvm.func @clusters
// One lane announces an answer's bytes; nobody gives it back. One lane makes a record full, in both CTAs; two warps of two CTAs empty it.
// CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %c4_i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %c4_i32
// CHECK-NOT: nvvm.mbarrier.init
// The first tile is that of the cluster's own number: no stage is waited for, and no question asked.
// CHECK: scf.while (%[[STAGE:.*]] = %c0_i32, %[[ROUND:.*]] = %c0_i32, %[[PHASE:.*]] = %c0_i32, %[[NUMBER:.*]] = %{{.*}})
// CHECK-COUNT-2: st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32
// Then a stage that is empty, and a question by lane 0, whose answer comes to this CTA alone.
// CHECK: nvvm.mbarrier.try_wait
// CHECK: %[[ASKED:.*]] = scf.if %{{.*}} -> (i32) {
// CHECK: nvvm.mbarrier.arrive.expect_tx %[[FULL:.*]], %c16_i32
// CHECK-NEXT: nvvm.clusterlaunchcontrol.try.cancel %[[MEMORY:.*]], %[[FULL]]
// CHECK: nvvm.mbarrier.try_wait %[[FULL]], %[[PHASE]]
// CHECK: %[[ANSWER:.*]] = llvm.load %[[MEMORY]] {alignment = 16 : i64} : !llvm.ptr<3> -> i128
// CHECK-NEXT: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT: %[[TOOK:.*]] = nvvm.clusterlaunchcontrol.query.cancel query = is_canceled, %[[ANSWER]]
// CHECK-NEXT: %[[WHICH:.*]] = scf.if %[[TOOK]] -> (i32) {
// CHECK-NEXT: %[[CTA:.*]] = nvvm.clusterlaunchcontrol.query.cancel query = get_first_cta_id_x, %[[ANSWER]]
// Nothing that LLVM sees through: it stays after the condition.
// CHECK-NEXT: %[[SAME:.*]] = llvm.inline_asm {{.*}} "mov.b32 $0, $1;", "=r,r" %[[CTA]]
// CHECK-NEXT: %[[CLUSTER:.*]] = arith.shrui %[[SAME]], %c1_i32
// CHECK-NEXT: scf.yield %[[CLUSTER]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %c-1_i32
// CHECK: %[[NEXT:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[ASKED]],
// CHECK: %[[OTHER:.*]] = arith.xori %[[PHASE]], %c1_i32
// CHECK: %[[MORE:.*]] = arith.cmpi ne, %[[NEXT]], %c-1_i32
// CHECK: scf.condition(%[[MORE]])
// A record that says so, where an answer took nothing over.
// CHECK: st.async
// Who works: as by a counter.
// CHECK: llvm.load %{{.*}} -> vector<4xi32>
// CHECK: arith.cmpi ne, %{{.*}}, %c-1_i32
// CHECK-NOT: clusterlaunchcontrol
llvm.func @clusters(%g: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 96, 1, 1>} {
  %one = llvm.mlir.constant(1 : i32) : i32
  mx.pipeline warps = 3 pair
  %answers = mx.ring "answers" stages = 1 once parts = [16]
  %queue = mx.ring "queue" stages = 2 parts = [32]
  mx.role "schedule" first = 0 warps = 1 leader {
    mx.hand_out %n x %n x %one of %n by %n tile = 128 x 128 x 128 schedule = #mx.static_schedule<supergroup = 8, slices = 1> by clusters %answers to %queue
  }
  mx.role "work" first = 1 warps = 2 {
    mx.tiles %n x %n x %one of %n by %n tile = 128 x 128 x 128 schedule = #mx.static_schedule<supergroup = 8, slices = 1> from %queue {
    ^bb0(%tile: !mx.tile):
      mx.publish %g : !llvm.ptr<1>
    }
  }
  llvm.return
}
