// Two kernels of a module share one symbol: it has the larger alignment, whichever comes first.
// RUN: mxc-opt --mx-lower-tile-ops %s -split-input-file | FileCheck %s

// CHECK-COUNT-1: llvm.mlir.global external @__mxc_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK-NOT: llvm.mlir.global
llvm.func @quantizer() -> !llvm.ptr<3> {
  // CHECK-LABEL: llvm.func @quantizer(
  // CHECK: llvm.mlir.addressof @__mxc_shared : !llvm.ptr<3>
  %s = mx.shared_memory bytes = 16400 alignment = 128 : !llvm.ptr<3>
  llvm.return %s : !llvm.ptr<3>
}
llvm.func @gemm() -> !llvm.ptr<3> {
  // CHECK-LABEL: llvm.func @gemm(
  // CHECK: llvm.mlir.addressof @__mxc_shared : !llvm.ptr<3>
  %s = mx.shared_memory bytes = 205824 alignment = 1024 : !llvm.ptr<3>
  llvm.return %s : !llvm.ptr<3>
}

// -----

// CHECK: llvm.mlir.global external @__mxc_shared() {addr_space = 3 : i32, alignment = 1024 : i64}
// CHECK-LABEL: llvm.func @reversed(
llvm.func @reversed() -> !llvm.ptr<3> {
  %s = mx.shared_memory bytes = 205824 alignment = 1024 : !llvm.ptr<3>
  llvm.return %s : !llvm.ptr<3>
}
llvm.func @smaller() -> !llvm.ptr<3> {
  %s = mx.shared_memory bytes = 16400 alignment = 128 : !llvm.ptr<3>
  llvm.return %s : !llvm.ptr<3>
}
