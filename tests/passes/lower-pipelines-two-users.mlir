// A ring that two roles use is empty when the warps of both gave a stage back: 1 + 2 arrivals; one elected lane fills it.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize %s | FileCheck %s

// CHECK-LABEL: llvm.func @two_users
// CHECK-DAG: %[[ONE:.*]] = {{.*}}constant 1 : i32
// CHECK-DAG: %[[THREE:.*]] = {{.*}}constant 3 : i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[ONE]]
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[THREE]]
// CHECK-NOT: nvvm.mbarrier.init
llvm.func @two_users(%map: !llvm.ptr, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  mx.pipeline warps = 4 tensor_columns = 0 allocating_warp = 0
  %ring = mx.ring "codes" stages = 1 parts = [1024]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %ring {
    ^bb0(%stage: i32):
      mx.copy_box %map[%n, %n] to %ring[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "left" first = 1 warps = 1 {
    mx.use %ring {
    ^bb0(%stage: i32):
      %at = mx.stage_address %ring[%stage] part = 0 : !llvm.ptr<3>
    }
  }
  mx.role "right" first = 2 warps = 2 {
    mx.use %ring {
    ^bb0(%stage: i32):
      %at = mx.stage_address %ring[%stage] part = 0 : !llvm.ptr<3>
    }
  }
  llvm.return
}
