// Products of warpgroups read a stage past its use: it is given back once the next is multiplied, the last by mx.finish.
// RUN: mxc-opt --mx-lower-pipelines=target=sm_90a --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// CHECK-LABEL: llvm.func @finish
// CHECK: %[[KEPT:.*]] = llvm.alloca %{{.*}} {mx.variable = "use codes multiply kept"}
// CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK-NEXT: nvvm.mbarrier.init %{{.*}}, %c4_i32
// Descriptors: 128B swizzle and rows of 1024 bytes in the high word; a warpgroup's rows are 512 units of 16 bytes apart.
// CHECK: inline_asm {{.*}}"mov.b64 $0, {$1, $2};", "=l,r,r" %{{.*}}, %c1073741888_i32
// CHECK: arith.muli %{{.*}}, %c512_i32
// CHECK: %[[PRODUCT:.*]] = llvm.inline_asm {{.*}}wgmma.fence.sync.aligned;{{.*}}wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16{{.*}}wgmma.commit_group
// CHECK-NEXT: nvvm.wgmma.wait.group.sync.aligned 1
// CHECK-NEXT: %[[STAGE:.*]] = llvm.load %[[KEPT]]
// CHECK-NEXT: %[[HAS:.*]] = arith.cmpi ne, %[[STAGE]], %c0_i32
// CHECK-NEXT: scf.if %[[HAS]] {
// CHECK-NEXT: arith.subi %[[STAGE]], %c1_i32
// CHECK: nvvm.mbarrier.arrive %
// CHECK: %[[THIS:.*]] = arith.addi %{{.*}}, %c1_i32
// CHECK-NEXT: llvm.store %[[THIS]], %[[KEPT]]
// CHECK: llvm.inline_asm {{.*}}"wgmma.wait_group.sync.aligned 0;"
// CHECK-NEXT: %[[LAST:.*]] = llvm.load %[[KEPT]]
// CHECK: arith.cmpi ne, %[[LAST]], %c0_i32
// CHECK: nvvm.mbarrier.arrive %
// CHECK: llvm.store %c0_i32, %[[KEPT]]
// Columns 0 to 7 of two rows: four registers.
// CHECK: llvm.extractvalue %{{.*}}[0]
// CHECK: llvm.extractvalue %{{.*}}[3]
// CHECK: llvm.store %{{.*}}, %arg1 : vector<4xf32>
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
