// cf: branches with the values that they hand on, and what is said of a loop.
// RUN: mxc-opt --mx-lower-to-llvm %s | FileCheck %s

// CHECK: #llvm.loop_unroll<disable = true>
// CHECK: #loop_annotation = #llvm.loop_annotation<unroll =
// CHECK-LABEL: llvm.func @branches
// CHECK: llvm.cond_br %arg1, ^bb1(%arg0 : i32), ^bb2
// CHECK: ^bb1(%[[M:.*]]: i32):
// CHECK: llvm.switch %[[M]] : i32, ^bb2 [
// CHECK-NEXT: 1: ^bb1(%arg0 : i32)
// CHECK: llvm.br ^bb3(%arg0 : i32)
// CHECK: ^bb3(%[[RESULT:.*]]: i32):
// CHECK: llvm.return %[[RESULT]] : i32
llvm.func @branches(%n: i32, %c: i1) -> i32 {
  cf.cond_br %c, ^again(%n : i32), ^last
^again(%m: i32):
  cf.switch %m : i32, [ default: ^last, 1: ^again(%n : i32) ]
^last:
  cf.br ^end(%n: i32)
^end(%r: i32):
  llvm.return %r : i32
}

// CHECK-LABEL: llvm.func @annotated
// CHECK: llvm.cond_br %arg0, ^bb2, ^bb3
// CHECK: llvm.br ^bb1 {loop_annotation = #loop_annotation}
llvm.func @annotated(%c: i1) {
  cf.br ^head
^head:
  cf.cond_br %c, ^body, ^end
^body:
  cf.br ^head {loop_annotation = #llvm.loop_annotation<unroll = #llvm.loop_unroll<disable = true>>}
^end:
  llvm.return
}
