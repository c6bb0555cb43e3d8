// The allocating warp takes and returns tensor memory; products complete by a commit, readers arrive.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize %s | FileCheck %s

// CHECK-LABEL: llvm.func @tensor_memory

// CHECK-NOT: {{[ =]}}mx.{{[a-z_]+ }}
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
        mx.block_mma %ring[%stage] into %sums[%place] accumulate %true b_column %n m = 128 n = 48 a = f8E4M3FN b = f8E4M3FN scale_a = 0 scale_b = 4
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
