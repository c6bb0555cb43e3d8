// A pair: the leader announces the bytes of both CTAs, copies of both complete there.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize %s | FileCheck %s

// CHECK-LABEL: llvm.func @pair

// CHECK-NOT: {{[ =]}}mx.{{[a-z_]+ }}
llvm.func @pair(%map: !llvm.ptr, %g: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  mx.pipeline warps = 4 tensor_columns = 0 allocating_warp = 0 pair
  %ring = mx.ring "codes" stages = 2 parts = [1024]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %ring {
    ^bb0(%stage: i32):
      mx.copy_box %map[%n, %n] to %ring[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "use" first = 2 warps = 2 {
    mx.use %ring {
    ^bb0(%stage: i32):
      %at = mx.stage_address %ring[%stage] part = 0 : !llvm.ptr<3>
    }
  }
  llvm.return
}
