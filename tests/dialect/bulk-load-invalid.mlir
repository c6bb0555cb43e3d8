// RUN: mxc-opt %s -split-input-file -verify-diagnostics

llvm.func @box(%map: !llvm.ptr, %i: i32) {
  // expected-error @+1 {{'mx.bulk_load' op}}
  %s = mx.bulk_load %map[%i, %i] thread %i box = [8] groups = 4 group_stride = 32 element_bytes = [2] : !llvm.ptr -> !llvm.ptr<3>
  llvm.return
}

// -----

llvm.func @element_bytes(%map: !llvm.ptr, %i: i32) {
  // expected-error @+1 {{'mx.bulk_load' op}}
  %s = mx.bulk_load %map[%i, %i] thread %i box = [8, 256] groups = 4 group_stride = 32 element_bytes = [] : !llvm.ptr -> !llvm.ptr<3>
  llvm.return
}
