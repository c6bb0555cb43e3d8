// Two accumulators that overlap: one is handed over at a time, the phase says which, and the end has a fence.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// CHECK-LABEL: llvm.func @overlap
// CHECK: %[[STORE_PHASE:.*]] = llvm.alloca %{{.*}} {mx.variable = "use sums store phase"}
// "operands" and "sums" have one full and one empty barrier each.
// CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK-NEXT: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK-NEXT: nvvm.mbarrier.init %{{.*}}, %c4_i32
// CHECK-NEXT: nvvm.fence.mbarrier.init
// CHECK: %[[MEMORY:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// 2 * (128 - 32) + 32 columns of accumulators, then scales.
// CHECK: arith.addi %[[MEMORY]], %c224_i32
// CHECK: %[[PLACE:.*]] = arith.muli %[[PHASE:.*]], %c96_i32
// CHECK-NEXT: %[[D:.*]] = arith.addi %[[MEMORY]], %[[PLACE]]
// CHECK: %[[POINTER:.*]] = llvm.inttoptr %[[D]] : i32 to !llvm.ptr<6>
// e5m2 by e2m1 in the instruction descriptor
// CHECK: mma.block_scale %[[POINTER]], %{{.*}}, %{{.*}}, %c144708736_i32
// CHECK: %[[PHASE:.*]] = llvm.load %[[STORE_PHASE]]
// CHECK: nvvm.mbarrier.try_wait %{{.*}}, %[[PHASE]]
// CHECK: %[[PLACE:.*]] = arith.muli %[[PHASE]], %c96_i32
// CHECK: arith.addi %[[MEMORY]], %[[PLACE]]
// CHECK: %[[COLUMNS:.*]] = nvvm.tcgen05.ld
// CHECK: nvvm.tcgen05.wait <load>
// CHECK-NEXT: nvvm.tcgen05.fence <before>
// CHECK: nvvm.mbarrier.arrive %
// CHECK: llvm.store %{{.*}}, %arg1 : vector<2xf32>
// CHECK: nvvm.tcgen05.fence <before>
// CHECK-NEXT: nvvm.barrier{{$}}
llvm.func @overlap(%map: !llvm.ptr, %g: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>} {
  mx.pipeline warps = 8 tensor_columns = 256 allocating_warp = 1
  %ring = mx.ring "operands" stages = 1 parts = [16384, 16384, 512, 512] columns = 8
  %sums = mx.ring "sums" stages = 2 columns = 128 overlap = 32
  %true = llvm.mlir.constant(true) : i1
  mx.role "load" first = 0 warps = 1 {
    mx.fill %ring {
    ^bb0(%stage: i32):
      mx.copy_box %map[%n, %n] to %ring[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "multiply" first = 1 warps = 1 {
    mx.fill %sums {
    ^bb0(%place: i32):
      mx.use %ring {
      ^bb0(%stage: i32):
        mx.block_mma %ring[%stage] into %sums[%place] accumulate %true b_column %n kind = mxf8f6f4 m = 128 n = 128 k = 128 a = f8E5M2 b = f4E2M1FN scale = f8E8M0FNU scale_a = 0 scale_b = 4 selectors = [0, 1, 2, 3]
      }
    }
  }
  mx.role "store" first = 4 warps = 4 {
    mx.use %sums {
    ^bb0(%place: i32):
      %values = mx.read_accumulator %sums[%place] column %n : vector<2xf32>
      mx.release %sums
      llvm.store %values, %g : vector<2xf32>, !llvm.ptr<1>
    }
  }
  llvm.return
}
