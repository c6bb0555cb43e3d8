// What LLVM does not clean up by itself is cleaned up before: functions that branch back or call.
// RUN: mxc-opt --pass-pipeline='builtin.module(llvm.func(mx-clean-up-loops))' %s | FileCheck %s

llvm.func @callee(i32) -> i32

// CHECK-LABEL: llvm.func @straight_line
// CHECK-COUNT-2: llvm.add
llvm.func @straight_line(%a: i32, %b: i32) -> i32 {
  %0 = llvm.add %a, %b : i32
  %1 = llvm.add %a, %b : i32
  llvm.br ^end
^end:
  %2 = llvm.mul %0, %1 : i32
  llvm.return %2 : i32
}

// CHECK-LABEL: llvm.func @loop
// CHECK: %[[SUM:.*]] = llvm.add
// CHECK-NOT: llvm.add
// CHECK: llvm.mul %[[SUM]], %[[SUM]]
llvm.func @loop(%a: i32, %b: i32, %more: i1) {
  %0 = llvm.add %a, %b : i32
  %1 = llvm.add %a, %b : i32
  %2 = llvm.mul %0, %1 : i32
  llvm.br ^again
^again:
  llvm.inline_asm has_side_effects "// $0", "r" %2 : (i32) -> ()
  llvm.cond_br %more, ^again, ^end
^end:
  llvm.return
}

// CHECK-LABEL: llvm.func @call
// CHECK: %[[SUM:.*]] = llvm.add
// CHECK-NOT: llvm.add
// CHECK: llvm.mul %[[SUM]], %[[SUM]]
llvm.func @call(%a: i32, %b: i32) -> i32 {
  %0 = llvm.add %a, %b : i32
  %1 = llvm.add %a, %b : i32
  %2 = llvm.mul %0, %1 : i32
  %3 = llvm.call @callee(%2) : (i32) -> i32
  llvm.return %3 : i32
}
