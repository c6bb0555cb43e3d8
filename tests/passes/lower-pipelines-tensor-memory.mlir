// The allocating warp takes and returns tensor memory; products complete by a commit, readers arrive.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// CHECK-LABEL: llvm.func @tensor_memory
// "sums": a commit fills, 4 warps use. "operands": bytes fill, a commit empties.
// CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK-NEXT: nvvm.mbarrier.init %{{.*}}, %c4_i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK-NEXT: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK: nvvm.tcgen05.alloc %[[SLOT:.*]], %c64_i32
// CHECK-NEXT: nvvm.tcgen05.relinquish_alloc_permit
// CHECK: nvvm.barrier{{$}}
// CHECK: %[[MEMORY:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// Before the role that copies ends, the tensor core has used all stages: it waits for them.
// CHECK: nvvm.mbarrier.try_wait %[[EMPTY:.*]], %
// CHECK: bulk.tensor.shared.cluster.global
// CHECK-NOT: tcgen05
// CHECK: nvvm.mbarrier.try_wait %[[EMPTY]], %
// Scales lie after the accumulators; two tiles of 512 bytes, four columns each.
// CHECK: nvvm.tcgen05.fence <after>
// CHECK: %[[SCALES:.*]] = arith.addi %[[MEMORY]], %c48_i32
// CHECK: nvvm.tcgen05.cp %{{.*}} {multicast = #nvvm.tcgen05_cp_multicast<warpx4>, shape = #nvvm.tcgen05_cp_shape<shape_32x128b>}
// CHECK-NEXT: arith.addi %[[MEMORY]], %c52_i32
// CHECK-NEXT: arith.addi %{{.*}}, %c32_i64
// CHECK: nvvm.tcgen05.cp
// Four instructions of K = 32, 32 bytes along the rows each; all but the first accumulate.
// CHECK: nvvm.elect.sync
// CHECK: mma.block_scale %{{.*}}, %[[A:.*]], %[[B:.*]], %c143392768_i32, %[[FIRST:.*]], %{{.*}} ctaGroup = #nvvm.cta_group<cta_1>
// CHECK-NEXT: arith.addi %[[A]], %c2_i64
// CHECK-NEXT: arith.addi %[[B]], %c2_i64
// CHECK: mma.block_scale %{{.*}}, %c680263696_i32, %true
// CHECK: mma.block_scale %{{.*}}, %c1217134624_i32, %true
// CHECK: mma.block_scale %{{.*}}, %c1754005552_i32, %true
// CHECK: nvvm.tcgen05.commit
// CHECK: nvvm.tcgen05.commit
// A warp reads its quarter of the lanes.
// CHECK: nvvm.tcgen05.fence <after>
// CHECK-NEXT: %[[QUARTER:.*]] = arith.andi %{{.*}}, %c3_i32
// CHECK-NEXT: arith.shli %[[QUARTER]], %c21_i32
// CHECK: nvvm.tcgen05.ld %{{.*}} {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : vector<4xi32>
// CHECK: nvvm.tcgen05.wait <load>
// CHECK: nvvm.tcgen05.fence <before>
// CHECK-NEXT: nvvm.bar.warp.sync
// CHECK: nvvm.mbarrier.arrive %
// CHECK: nvvm.barrier{{$}}
// CHECK: nvvm.tcgen05.dealloc %{{.*}}, %c64_i32
llvm.func @tensor_memory(%map: !llvm.ptr, %g: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  mx.pipeline warps = 8 tensor_columns = 64 allocating_warp = 1
  %sums = mx.ring "sums" stages = 1 columns = 48
  %ring = mx.ring "operands" stages = 1 parts = [16384, 8192, 512, 512] columns = 8
  mx.role "load" first = 0 warps = 1 {
    mx.fill %ring {
    ^bb0(%stage: i32):
      mx.copy_box %map[%n, %n] to %ring[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  %true = llvm.mlir.constant(true) : i1
  mx.role "multiply" first = 1 warps = 1 {
    mx.fill %sums {
    ^bb0(%place: i32):
      mx.use %ring {
      ^bb0(%stage: i32):
        mx.copy_scales %ring[%stage] parts = [2, 3]
        mx.block_mma %ring[%stage] into %sums[%place] accumulate %true b_column %n kind = mxf8f6f4 m = 128 n = 48 k = 128 a = f8E4M3FN b = f8E4M3FN scale = f8E8M0FNU scale_a = 0 scale_b = 4 selectors = [0, 1, 2, 3]
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
