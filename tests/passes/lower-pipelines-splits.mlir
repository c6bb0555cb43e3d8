// CTAs that split K: a cluster of theirs meets, and one reads the others' sums.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// CHECK-LABEL: llvm.func @splits
// CHECK: %[[SUMS:.*]] = llvm.inttoptr
// CHECK-NEXT: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK: llvm.store %[[RANK]], %[[SUMS]]
// CHECK-NEXT: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK-NEXT: %[[THERE:.*]] = nvvm.mapa %[[SUMS]], %arg0 : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK: "ld.shared::cluster.v4.f32 {$0, $1, $2, $3}, [$4];"
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK-NEXT: llvm.return
llvm.func @splits(%other: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  mx.pipeline warps = 4 tensor_columns = 0 allocating_warp = 0 splits = 4
  %sums = mx.shared "sums" bytes = 1024 alignment = 16 : !llvm.ptr<3>
  mx.role "work" first = 0 warps = 4 {
    %rank = mx.cta_rank
    llvm.store %rank, %sums : i32, !llvm.ptr<3>
    mx.cluster_barrier
    %value = mx.cluster_load %sums of %other : !llvm.ptr<3> -> vector<4xf32>
    llvm.store %value, %sums : vector<4xf32>, !llvm.ptr<3>
  }
  llvm.return
}
