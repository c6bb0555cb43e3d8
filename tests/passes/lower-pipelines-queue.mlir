// Tiles by cluster launch control: 16 bytes an answer, asked until it took nothing over.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize %s | FileCheck %s

// CHECK-LABEL: llvm.func @queue

// CHECK-NOT: {{[ =]}}mx.{{[a-z_]+ }}
llvm.func @queue(%map: !llvm.ptr, %g: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  mx.pipeline warps = 4 tensor_columns = 0 allocating_warp = 0
  %queue = mx.ring "queue" stages = 1 parts = [16]
  mx.role "work" first = 0 warps = 1 {
    mx.tiles %n x %n x %n supergroup = 8 slices = 1 from %queue {
    ^bb0(%batch: i32, %row: i32, %column: i32, %slice: i32):
      mx.publish %g : !llvm.ptr<1>
    }
  }
  mx.role "schedule" first = 1 warps = 1 {
    mx.take_over %queue
  }
  llvm.return
}
