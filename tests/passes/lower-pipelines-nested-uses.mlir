// Uses of a ring within each other: the outer one goes on before the inner one waits, and its stage is given back where an mx.release names it. One fence
// follows the scales' wait, whose columns are written anew; none after waits for copies inside.
// RUN: mxc-opt --mx-lower-pipelines=target=sm_103a --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// CHECK-LABEL: llvm.func @nested
// CHECK-DAG: %[[PHASE:.*]] = llvm.alloca {{.*}} {mx.variable = "use r mma phase"}
// CHECK-DAG: %[[STAGE:.*]] = llvm.alloca {{.*}} {mx.variable = "use r mma stage"}
// CHECK: nvvm.tcgen05.fence <after>
// CHECK-COUNT-6: nvvm.tcgen05.cp
// CHECK-NOT: nvvm.tcgen05.fence
// CHECK: %[[OUTER:.*]] = llvm.load %[[STAGE]]
// CHECK-NEXT: llvm.load %[[PHASE]]
// CHECK: nvvm.mbarrier.try_wait
// CHECK-NOT: nvvm.tcgen05.fence
// CHECK: llvm.store %{{.*}}, %[[PHASE]]
// CHECK-NEXT: llvm.store %{{.*}}, %[[STAGE]]
// CHECK: %[[INNER:.*]] = llvm.load %[[STAGE]]
// CHECK-NEXT: llvm.load %[[PHASE]]
// CHECK: nvvm.mbarrier.try_wait
// CHECK-NOT: nvvm.tcgen05.fence
// CHECK: nvvm.elect.sync
// CHECK: nvvm.tcgen05.mma.block_scale
// Those of the outer stage, the inner one, the scales and the sums.
// CHECK-COUNT-4: nvvm.tcgen05.commit
llvm.func @nested(%map: !llvm.ptr, %i: i32, %true: i1) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>} {
  mx.pipeline warps = 8 tensor_columns = 256 allocating_warp = 0
  %r = mx.ring "r" stages = 3 parts = [16384, 16384]
  %s = mx.ring "s" stages = 2 parts = [1536, 1536] alignment = 512 columns = 24
  %d = mx.ring "d" stages = 1 columns = 128
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
    mx.fill %s {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %s[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "mma" first = 1 warps = 1 {
    mx.fill %d {
    ^bb0(%place: i32):
      mx.use %s {
      ^bb0(%q: i32):
        mx.copy_scales %s[%q] parts = [0, 1] along = 3
        mx.use %r {
        ^bb0(%outer: i32):
          mx.use %r {
          ^bb0(%inner: i32):
            mx.wide_mma %r[%outer, %inner] scales %s[%q] into %d[%place] accumulate %true b_column %i first = 2 count = 1 kind = mxf4 m = 128 n = 128 scale = f8E8M0FNU
            mx.release %r[%outer]
          }
        }
      }
    }
  }
  mx.role "store" first = 4 warps = 4 {
    mx.use %d {
    ^bb0(%place: i32):
    }
  }
  llvm.return
}
