// Shared regions, threads of a role and its barrier; without a cluster a rank is 0, and the CTA is the cluster.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// CHECK: @__mxc_shared() {addr_space = 3 : i32, alignment = 1024 : i64}
// CHECK-LABEL: llvm.func @shared
// CHECK: %[[WARP:.*]] = nvvm.shfl.sync idx
// CHECK-NEXT: %[[LANE:.*]] = arith.andi %{{.*}}, %c31_i32
// CHECK: %[[SMALL:.*]] = llvm.inttoptr
// CHECK: %[[LARGE:.*]] = llvm.getelementptr %[[SMALL]][1024]
// CHECK-NEXT: %[[IN_ROLE:.*]] = arith.subi %[[WARP]], %c4_i32
// CHECK: %[[FIRST:.*]] = arith.muli %[[IN_ROLE]], %c32_i32
// CHECK-NEXT: %[[THREAD:.*]] = arith.addi %[[FIRST]], %[[LANE]]
// CHECK-NEXT: llvm.store %[[THREAD]], %[[SMALL]]
// CHECK-NEXT: nvvm.barrier id = %c2_i32 number_of_threads = %c128_i32
// CHECK-NEXT: llvm.store %c0_i32, %[[LARGE]]
// CHECK-NEXT: nvvm.barrier{{$}}
// CHECK: "ld.shared.v4.f32 {$0, $1, $2, $3}, [$4];"
// CHECK-NOT: cluster
llvm.func @shared(%n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>} {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %small = mx.shared "small" bytes = 100 alignment = 4 : !llvm.ptr<3>
  %large = mx.shared "large" bytes = 4096 alignment = 1024 : !llvm.ptr<3>
  %rank = mx.cta_rank
  mx.role "work" first = 4 warps = 4 {
    %thread = mx.role_thread
    llvm.store %thread, %small : i32, !llvm.ptr<3>
    mx.role_barrier
    llvm.store %rank, %large : i32, !llvm.ptr<3>
    mx.cluster_barrier
    %value = mx.cluster_load %large of %n : !llvm.ptr<3> -> vector<4xf32>
    llvm.store %value, %small : vector<4xf32>, !llvm.ptr<3>
  }
  llvm.return
}
