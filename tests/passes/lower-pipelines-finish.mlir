// Products of warpgroups read a stage past its use: it is given back once the next is multiplied, the last by mx.finish.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize %s | FileCheck %s

// CHECK-LABEL: llvm.func @finish

// CHECK-NOT: {{[ =]}}mx.{{[a-z_]+ }}
llvm.func @finish(%map: !llvm.ptr, %g: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  mx.pipeline warps = 5 tensor_columns = 0 allocating_warp = 0
  %ring = mx.ring "codes" stages = 2 parts = [8192, 1024]
  mx.role "load" first = 4 warps = 1 {
    mx.fill %ring {
    ^bb0(%stage: i32):
      mx.copy_box %map[%n, %n] to %ring[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "multiply" first = 0 warps = 4 {
    %zero = mx.zero_accumulator : !mx.accumulator<8>
    %sum = mx.use %ring -> !mx.accumulator<8> {
    ^bb0(%stage: i32):
      %product = mx.warpgroup_mma %ring[%stage] onto %zero steps = 1 : !mx.accumulator<8>
      mx.next %product : !mx.accumulator<8>
    }
    %all = mx.finish %ring, %sum : !mx.accumulator<8>
    %values = mx.accumulator_columns %all[0] : !mx.accumulator<8> -> vector<4xf32>
    llvm.store %values, %g : vector<4xf32>, !llvm.ptr<1>
  }
  llvm.return
}
