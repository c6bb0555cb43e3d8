// NVVM: what LLVM has no intrinsic for becomes assembly; the rest stays for the translation.
// RUN: mxc-opt --mx-lower-to-llvm %s | FileCheck %s

// CHECK-LABEL: llvm.func @barrier
// CHECK-NEXT: llvm.inline_asm has_side_effects asm_dialect = att "@$2 mbarrier.init.shared.b64 [$0], $1;", "r,r,b" %arg0, %arg1, %arg2 : (!llvm.ptr<3>, i32, i1) -> ()
// CHECK-NEXT: nvvm.mbarrier.init %arg0, %arg1 : !llvm.ptr<3>, i32
// CHECK-NEXT: nvvm.fence.mbarrier.init
// CHECK-NEXT: llvm.return
llvm.func @barrier(%barrier: !llvm.ptr<3>, %n: i32, %where: i1) {
  nvvm.mbarrier.init %barrier, %n, predicate = %where : !llvm.ptr<3>, i32, i1
  nvvm.mbarrier.init %barrier, %n : !llvm.ptr<3>, i32
  nvvm.fence.mbarrier.init
  llvm.return
}
