// Counters in global memory: lane 0 counts, the warp gets its number; writes are published after a fence.
// RUN: mxc-opt --mx-lower-pipelines --canonicalize --cse %s | FileCheck %s --implicit-check-not=' mx.'

// CHECK-LABEL: llvm.func @counters
// CHECK: %[[KNOWN:.*]] = llvm.alloca
// CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %c31_i32
// ticket
// CHECK: %[[IS_ZERO:.*]] = arith.cmpi eq, %[[LANE]], %c0_i32
// CHECK: scf.if %[[IS_ZERO]]
// CHECK-NEXT: "atom.relaxed.gpu.global.add.u32 $0, [$1], 1;"
// CHECK: %[[TICKET:.*]] = nvvm.shfl.sync idx
// await: the counts of 32 indices at a time, a bit each; a fence for the copies that follow
// CHECK: %[[BIT:.*]] = arith.andi %[[TICKET]], %c31_i32
// CHECK: arith.cmpi eq, %[[BIT]], %c0_i32
// CHECK: llvm.store %c0_i32, %[[KNOWN]]
// CHECK: scf.while
// CHECK: arith.minui
// CHECK: "ld.acquire.gpu.global.u32 $0, [$1];"
// CHECK: %[[COMPLETE:.*]] = arith.cmpi eq, %{{.*}}, %c4_i32
// CHECK-NEXT: %[[BITS:.*]] = nvvm.vote.sync ballot %c-1_i32, %[[COMPLETE]]
// CHECK-NEXT: llvm.store %[[BITS]], %[[KNOWN]]
// CHECK-NEXT: nvvm.bar.warp.sync
// CHECK-NEXT: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}
// publish
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}
// CHECK-NEXT: nvvm.bar.warp.sync
// CHECK-NEXT: nvvm.elect.sync
// CHECK: "red.release.gpu.global.add.u32 [$0], 1;"
// last_of: the third leaves a zero.
// CHECK: nvvm.bar.warp.sync
// CHECK: "atom.acq_rel.gpu.global.add.u32 $0, [$1], 1;"
// CHECK: %[[BEFORE:.*]] = nvvm.shfl.sync idx
// CHECK-NEXT: nvvm.bar.warp.sync
// CHECK-NEXT: %[[IS_LAST:.*]] = arith.cmpi eq, %[[BEFORE]], %c2_i32
// CHECK-NEXT: arith.andi %[[IS_LAST]], %[[IS_ZERO]]
// CHECK: llvm.store %c0_i32, %arg1
// leave: the last of 4 warps of every CTA clears the words, 32 lanes at a time.
// CHECK: "atom.acq_rel.gpu.global.add.u32 $0, [$1], 1;"
// CHECK: nvvm.read.ptx.sreg.nctaid.x
// CHECK-NEXT: arith.muli %{{.*}}, %c4_i32
// CHECK: scf.for %{{.*}} = %[[LANE]] to %arg2 step %c32_i32
// CHECK: llvm.store %c0_i32
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
