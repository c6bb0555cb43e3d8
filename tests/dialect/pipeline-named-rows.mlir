// Copies that the lanes of a warp make: rows of 128 bytes of a map, and pieces of 16 bytes.
// RUN: mxc-opt %s | mxc-opt | FileCheck %s

// CHECK-LABEL: llvm.func @named
llvm.func @named(%map: !llvm.ptr, %g: !llvm.ptr<1>, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [8192, 1024]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      // CHECK: mx.copy_named_rows %{{.*}}[%{{.*}}] rows %{{.*}}, %{{.*}} to %{{.*}}[%{{.*}}] part = 0 count = 48 : !llvm.ptr
      mx.copy_named_rows %map[%i] rows %i, %i to %r[%stage] part = 0 count = 48 : !llvm.ptr
      // CHECK: mx.copy_pieces %{{.*}} to %{{.*}}[%{{.*}}] part = 1 offset = 512 count = 32 : !llvm.ptr<1>
      mx.copy_pieces %g to %r[%stage] part = 1 offset = 512 count = 32 : !llvm.ptr<1>
    }
  }
  mx.role "multiply" first = 4 warps = 4 {
    mx.use %r {
    ^bb0(%stage: i32):
      // CHECK: mx.load_fragments %{{.*}}[%{{.*}}] half = 0 first %{{.*}} blocks %{{.*}} quarters %{{.*}}, %{{.*}} f8E4M3FN
      %f = mx.load_fragments %r[%stage] half = 0 first %i blocks %i quarters %i, %i f8E4M3FN : vector<16xi32>
      // CHECK: mx.load_fragments %{{.*}}[%{{.*}}] half = 1 first %{{.*}} blocks %{{.*}} apart f8E4M3FN
      %h = mx.load_fragments %r[%stage] half = 1 first %i blocks %i apart f8E4M3FN : vector<16xi32>
    }
  }
  llvm.return
}
