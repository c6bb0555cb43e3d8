// Warpgroups get their registers around the branches of their roles: before them, and once for those that get the same.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// CHECK-LABEL: llvm.func @registers
// CHECK: %[[WARP:.*]] = nvvm.shfl.sync idx
// CHECK: %[[THIRD:.*]] = arith.subi %[[WARP]], %c8_i32
// CHECK-NEXT: arith.cmpi ult, %[[THIRD]], %c4_i32
// CHECK-NEXT: scf.if
// CHECK-NEXT: nvvm.setmaxregister decrease 24
// CHECK-NEXT: %[[LOAD:.*]] = arith.cmpi ult, %[[THIRD]], %c1_i32
// CHECK-NEXT: scf.if %[[LOAD]]
// CHECK: %[[FIRST_TWO:.*]] = arith.cmpi ult, %[[WARP]], %c8_i32
// CHECK-NEXT: scf.if %[[FIRST_TWO]]
// CHECK-NEXT: nvvm.setmaxregister increase 240
// Barrier 0 is the CTA's; the role's is 1 + its first warpgroup.
// CHECK: nvvm.barrier id = %c1_i32 number_of_threads = %c256_i32
// CHECK-NOT: setmaxregister
llvm.func @registers(%g: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 384, 1, 1>} {
  mx.pipeline warps = 12 tensor_columns = 0 allocating_warp = 0 registers = [240, 240, 24]
  mx.role "load" first = 8 warps = 1 {
    mx.publish %g : !llvm.ptr<1>
  }
  mx.role "multiply" first = 0 warps = 8 {
    mx.role_barrier
  }
  llvm.return
}
