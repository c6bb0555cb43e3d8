// Lanes write rows to a warp's box once its last store has read it; one lane stores.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize %s | FileCheck %s

// CHECK-LABEL: llvm.func @store_box

// CHECK-NOT: {{[ =]}}mx.{{[a-z_]+ }}
llvm.func @store_box(%map: !llvm.ptr, %g: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  mx.pipeline warps = 4 tensor_columns = 0 allocating_warp = 0
  %staging = mx.shared "staging" bytes = 8192 alignment = 1024 : !llvm.ptr<3>
  %row = llvm.mlir.undef : vector<4xf32>
  mx.role "store" first = 0 warps = 1 {
    mx.store_box %row to %map[%n, %n] through %staging box %n buffers = 2 : vector<4xf32> to !llvm.ptr through !llvm.ptr<3>
    mx.drain_stores
  }
  llvm.return
}
