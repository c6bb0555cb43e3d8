// Counters in global memory: lane 0 counts, the warp gets its number; writes are published behind a fence.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize %s | FileCheck %s

// CHECK-LABEL: llvm.func @counters

// CHECK-NOT: {{[ =]}}mx.{{[a-z_]+ }}
llvm.func @counters(%map: !llvm.ptr, %g: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  mx.pipeline warps = 4 tensor_columns = 0 allocating_warp = 0
  mx.role "work" first = 0 warps = 4 {
    %ticket = mx.ticket %g : !llvm.ptr<1>
    mx.await %g[%ticket] of %n complete = 4 : !llvm.ptr<1>
    mx.publish %g : !llvm.ptr<1>
    %last = mx.last_of %g count = 3 : !llvm.ptr<1>
    mx.leave %g words %n through %g warps = 4 : !llvm.ptr<1>, !llvm.ptr<1>
  }
  llvm.return
}
