// What lanes compute up to their first loads goes before the wait for earlier grids, and before the branch; the loads stay,
// and what needs what they bring.
// RUN: mxc-opt --mx-compute-before-waiting %s | FileCheck %s

// CHECK-LABEL: llvm.func @two_loads(
// CHECK-SAME: %[[P:.*]]: !llvm.ptr<1>, %[[OFFSET:.*]]: i64, %[[WORKS:.*]]: i1)
llvm.func @two_loads(%p: !llvm.ptr<1>, %offset: i64, %works: i1) {
  // CHECK: nvvm.griddepcontrol launch_dependents
  // CHECK-NEXT: %[[FIRST:.*]] = llvm.getelementptr %[[P]][%[[OFFSET]]]
  // CHECK-NEXT: %[[TWICE:.*]] = arith.addi %[[OFFSET]], %[[OFFSET]]
  // CHECK-NEXT: %[[SECOND:.*]] = llvm.getelementptr %[[P]][%[[TWICE]]]
  // CHECK-NEXT: llvm.inline_asm has_side_effects asm_dialect = att "", "l,l" %[[FIRST]], %[[SECOND]]
  // CHECK-NEXT: scf.if %[[WORKS]] {
  // CHECK-NEXT: nvvm.griddepcontrol wait
  // CHECK-NEXT: %[[X:.*]] = llvm.load %[[FIRST]]
  // CHECK-NEXT: %[[Y:.*]] = llvm.load %[[SECOND]]
  // CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[X]], %[[Y]]
  // CHECK-NEXT: %[[THIRD:.*]] = llvm.getelementptr
  // CHECK-NEXT: llvm.store %[[SUM]], %[[THIRD]]
  nvvm.griddepcontrol launch_dependents
  scf.if %works {
    nvvm.griddepcontrol wait
    %first = llvm.getelementptr %p[%offset] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    %x = llvm.load %first : !llvm.ptr<1> -> i32
    %twice = arith.addi %offset, %offset : i64
    %second = llvm.getelementptr %p[%twice] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    %y = llvm.load %second : !llvm.ptr<1> -> i32
    %sum = arith.addi %x, %y : i32
    %third = llvm.getelementptr %p[%twice] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i16
    llvm.store %sum, %third : i32, !llvm.ptr<1>
  }
  llvm.return
}

// A store ends it: what follows may not be moved over it.
// CHECK-LABEL: llvm.func @store_first(
llvm.func @store_first(%p: !llvm.ptr<1>, %offset: i64, %works: i1) {
  // CHECK-NOT: inline_asm
  // CHECK: scf.if
  // CHECK-NEXT: nvvm.griddepcontrol wait
  // CHECK-NEXT: llvm.store
  // CHECK-NEXT: llvm.getelementptr
  // CHECK-NEXT: llvm.load
  scf.if %works {
    nvvm.griddepcontrol wait
    llvm.store %offset, %p : i64, !llvm.ptr<1>
    %place = llvm.getelementptr %p[%offset] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    %x = llvm.load %place : !llvm.ptr<1> -> i32
    llvm.store %x, %p : i32, !llvm.ptr<1>
  }
  llvm.return
}

// A branch that waits for nothing is left alone.
// CHECK-LABEL: llvm.func @no_wait(
llvm.func @no_wait(%p: !llvm.ptr<1>, %offset: i64, %works: i1) {
  // CHECK-NEXT: scf.if
  scf.if %works {
    %place = llvm.getelementptr %p[%offset] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    %x = llvm.load %place : !llvm.ptr<1> -> i32
    llvm.store %x, %p : i32, !llvm.ptr<1>
  }
  llvm.return
}

// A branch of the wait alone ends as it did.
// CHECK-LABEL: llvm.func @wait_alone(
llvm.func @wait_alone(%waits: i1) {
  // CHECK: scf.if
  // CHECK-NEXT: nvvm.griddepcontrol wait
  // CHECK-NEXT: }
  // CHECK-NEXT: llvm.return
  scf.if %waits {
    nvvm.griddepcontrol wait
  }
  llvm.return
}
