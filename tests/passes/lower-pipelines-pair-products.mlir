// Products of a pair: both allocate, the leader multiplies for both, its commits arrive in both, readers at the leader.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// CHECK-LABEL: llvm.func @pair_products
// CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
// "sums": 4 warps of 2 CTAs; "operands": one commit.
// CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK-NEXT: nvvm.mbarrier.init %{{.*}}, %c8_i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK-NEXT: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK: nvvm.tcgen05.alloc %{{.*}}, %c64_i32 {group = #nvvm.cta_group<cta_2>}
// CHECK-NEXT: nvvm.tcgen05.relinquish_alloc_permit {group = #nvvm.cta_group<cta_2>}
// 16384 from both CTAs, and 512 from each into both.
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c34816_i32
// CHECK: bulk.tensor.shared.cluster.global %{{.*}} box[%arg2, %arg2] {group = #nvvm.cta_group<cta_2>}
// CHECK: bulk.tensor.shared.cluster.global %{{.*}} box[%arg2, %arg2] multicast_mask = %c3_i16 {group = #nvvm.cta_group<cta_2>}
// The role with `leader`: warp 1 of the even CTA.
// CHECK: %[[IS_WARP:.*]] = arith.cmpi ult, %{{.*}}, %c1_i32
// CHECK-NEXT: %[[LOW:.*]] = arith.andi %[[RANK]], %c1_i32
// CHECK-NEXT: %[[IS_EVEN:.*]] = arith.cmpi eq, %[[LOW]], %c0_i32
// CHECK-NEXT: %[[IS_MULTIPLIER:.*]] = arith.andi %[[IS_WARP]], %[[IS_EVEN]]
// CHECK-NEXT: scf.if %[[IS_MULTIPLIER]]
// CHECK: nvvm.tcgen05.cp %{{.*}} {group = #nvvm.cta_group<cta_2>, multicast
// CHECK: mma.block_scale %{{.*}}, %c277348352_i32, %{{.*}} ctaGroup = #nvvm.cta_group<cta_2>
// CHECK: nvvm.tcgen05.commit %{{.*}}, multicast_mask = %c3_i16 {group = #nvvm.cta_group<cta_2>}
// CHECK: nvvm.tcgen05.commit %{{.*}}, multicast_mask = %c3_i16 {group = #nvvm.cta_group<cta_2>}
// CHECK: nvvm.tcgen05.fence <before>
// CHECK: nvvm.mbarrier.arrive %{{.*}} : !llvm.ptr<7>
// CHECK: nvvm.cluster.wait {aligned}
// CHECK: nvvm.tcgen05.dealloc %{{.*}}, %c64_i32 {group = #nvvm.cta_group<cta_2>}
llvm.func @pair_products(%map: !llvm.ptr, %g: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>} {
  mx.pipeline warps = 8 tensor_columns = 64 allocating_warp = 1 pair
  %sums = mx.ring "sums" stages = 1 columns = 48
  %ring = mx.ring "operands" stages = 1 parts = [16384, 4096, 512, 512] columns = 8
  %false = llvm.mlir.constant(false) : i1
  mx.role "load" first = 0 warps = 1 {
    mx.fill %ring {
    ^bb0(%stage: i32):
      mx.copy_box %map[%n, %n] to %ring[%stage] part = 0 bytes = 16384 : !llvm.ptr
      mx.copy_box %map[%n, %n] to %ring[%stage] part = 3 bytes = 512 multicast : !llvm.ptr
    }
  }
  mx.role "multiply" first = 1 warps = 1 leader {
    mx.fill %sums {
    ^bb0(%place: i32):
      mx.use %ring {
      ^bb0(%stage: i32):
        mx.copy_scales %ring[%stage] parts = [2, 3] pair
        mx.block_mma %ring[%stage] into %sums[%place] accumulate %false b_column %n kind = mxf8f6f4 m = 256 n = 32 k = 128 a = f8E4M3FN b = f8E4M3FN scale = f8E8M0FNU scale_a = 0 scale_b = 4 selectors = [0, 1, 2, 3] pair
      }
    }
  }
  mx.role "store" first = 4 warps = 4 {
    mx.use %sums {
    ^bb0(%place: i32):
      %values = mx.read_accumulator %sums[%place] column %n : vector<4xf32>
      llvm.store %values, %g : vector<4xf32>, !llvm.ptr<1>
    }
  }
  llvm.return
}
