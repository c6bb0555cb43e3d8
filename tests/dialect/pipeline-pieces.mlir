// Copies that the lanes of a warp make: pieces of 16 or 4 bytes. Scale tiles of each warpgroup's rows.
// RUN: mxc-opt %s | mxc-opt | FileCheck %s

// CHECK-LABEL: llvm.func @pieces
llvm.func @pieces(%g: !llvm.ptr<1>, %i: i32, %b: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [8192, 512]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      // CHECK: mx.copy_pieces %{{.*}}, %{{.*}} at %{{.*}}, %{{.*}} where %{{.*}}, %{{.*}} to %{{.*}}[%{{.*}}] part = 0 bytes = 16 count = 48 : !llvm.ptr<1>, !llvm.ptr<1>
      mx.copy_pieces %g, %g at %i, %i where %b, %b to %r[%stage] part = 0 bytes = 16 count = 48 : !llvm.ptr<1>, !llvm.ptr<1>
      // CHECK: mx.copy_pieces %{{.*}} at %{{.*}} where %{{.*}} to %{{.*}}[%{{.*}}] part = 1 bytes = 4 count = 32 : !llvm.ptr<1>
      mx.copy_pieces %g at %i where %b to %r[%stage] part = 1 bytes = 4 count = 32 : !llvm.ptr<1>
    }
  }
  mx.role "multiply" first = 4 warps = 4 {
    mx.use %r {
    ^bb0(%stage: i32):
      // CHECK: mx.load_fragments %{{.*}}[%{{.*}}] half = 1 first %{{.*}} blocks %{{.*}} apart f8E4M3FN
      %h = mx.load_fragments %r[%stage] half = 1 first %i blocks %i apart f8E4M3FN : vector<16xi32>
    }
  }
  llvm.return
}
