// prmt numbers a lane's own bytes 0 to 3 and its partner's 4 to 7.
// RUN: mxc-opt --mx-lower-tile-ops %s | FileCheck %s

// One row: byte kb of the word from lane group kb.
// CHECK-LABEL: llvm.func @one_row(
// CHECK-SAME: %[[B:.*]]: i32, %[[LANE:.*]]: i32)
llvm.func @one_row(%b: i32, %lane: i32) -> i32 {
  // CHECK-DAG: %[[ODD:.*]] = arith.constant 13060 : i32
  // CHECK-DAG: %[[EVEN:.*]] = arith.constant 13120 : i32
  // CHECK-DAG: %[[UPPER:.*]] = arith.constant 4180 : i32
  // CHECK-DAG: %[[LOWER:.*]] = arith.constant 21520 : i32
  // CHECK: %[[BIT0:.*]] = arith.andi %[[LANE]], %c4_i32 : i32
  // CHECK-NEXT: %[[ISODD:.*]] = arith.cmpi ne, %[[BIT0]], %c0_i32
  // CHECK: %[[BIT1:.*]] = arith.andi %[[LANE]], %c8_i32 : i32
  // CHECK-NEXT: %[[ISUPPER:.*]] = arith.cmpi ne, %[[BIT1]], %c0_i32
  // CHECK-NEXT: %[[P:.*]] = nvvm.shfl.sync bfly %c-1_i32, %[[B]], %c4_i32, %c31_i32
  // CHECK-NEXT: %[[SEL:.*]] = arith.select %[[ISODD]], %[[ODD]], %[[EVEN]]
  // CHECK-NEXT: %[[HALF:.*]] = llvm.call_intrinsic "llvm.nvvm.prmt"(%[[B]], %[[P]], %[[SEL]])
  // CHECK-NEXT: %[[Q:.*]] = nvvm.shfl.sync bfly %c-1_i32, %[[HALF]], %c8_i32, %c31_i32
  // CHECK-NEXT: %[[SEL2:.*]] = arith.select %[[ISUPPER]], %[[UPPER]], %[[LOWER]]
  // CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.prmt"(%[[HALF]], %[[Q]], %[[SEL2]])
  %word = mx.gather_scales %b lane %lane lanes = 4
  llvm.return %word : i32
}

// Four rows: a 4x4 transposition of bytes.
// CHECK-LABEL: llvm.func @four_rows(
// CHECK-SAME: %[[A:.*]]: i32, %[[B:.*]]: i32, %[[C:.*]]: i32, %[[D:.*]]: i32, %[[LANE:.*]]: i32)
llvm.func @four_rows(%a: i32, %b: i32, %c: i32, %d: i32, %lane: i32) -> i32 {
  // CHECK-DAG: %[[PAIR:.*]] = arith.constant 13120 : i32
  // CHECK-DAG: %[[JOIN:.*]] = arith.constant 21520 : i32
  // CHECK-DAG: %[[ODD:.*]] = arith.constant 14101 : i32
  // CHECK-DAG: %[[EVEN:.*]] = arith.constant 25152 : i32
  // CHECK-DAG: %[[UPPER:.*]] = arith.constant 12918 : i32
  // CHECK: %[[LOW:.*]] = llvm.call_intrinsic "llvm.nvvm.prmt"(%[[A]], %[[B]], %[[PAIR]])
  // CHECK-NEXT: %[[HIGH:.*]] = llvm.call_intrinsic "llvm.nvvm.prmt"(%[[C]], %[[D]], %[[PAIR]])
  // CHECK-NEXT: %[[COLUMN:.*]] = llvm.call_intrinsic "llvm.nvvm.prmt"(%[[LOW]], %[[HIGH]], %[[JOIN]])
  // CHECK-NEXT: %[[P:.*]] = nvvm.shfl.sync bfly %c-1_i32, %[[COLUMN]], %c2_i32, %c31_i32
  // CHECK-NEXT: %[[SEL:.*]] = arith.select %{{.*}}, %[[ODD]], %[[EVEN]]
  // CHECK-NEXT: %[[HALVES:.*]] = llvm.call_intrinsic "llvm.nvvm.prmt"(%[[COLUMN]], %[[P]], %[[SEL]])
  // CHECK-NEXT: %[[Q:.*]] = nvvm.shfl.sync bfly %c-1_i32, %[[HALVES]], %c4_i32, %c31_i32
  // CHECK-NEXT: %[[SEL2:.*]] = arith.select %{{.*}}, %[[UPPER]], %[[JOIN]]
  // CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.prmt"(%[[HALVES]], %[[Q]], %[[SEL2]])
  %word = mx.gather_scales %a, %b, %c, %d lane %lane lanes = 2
  llvm.return %word : i32
}
