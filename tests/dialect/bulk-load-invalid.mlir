// RUN: mxc-opt %s -split-input-file -verify-diagnostics

llvm.func @box(%map: !llvm.ptr, %s: !llvm.ptr<3>, %i: i32) {
  // expected-error @+1 {{'mx.bulk_load' op}}
  mx.bulk_load %map[%i, %i] to %s offsets = [0] barrier = 16384 thread %i box = [8] groups = 4 group_stride = 32 element_bytes = [2] : !llvm.ptr -> !llvm.ptr<3>
  llvm.return
}

// -----

llvm.func @element_bytes(%map: !llvm.ptr, %s: !llvm.ptr<3>, %i: i32) {
  // expected-error @+1 {{'mx.bulk_load' op}}
  mx.bulk_load %map[%i, %i] to %s offsets = [0] barrier = 16384 thread %i box = [8, 256] groups = 4 group_stride = 32 element_bytes = [] : !llvm.ptr -> !llvm.ptr<3>
  llvm.return
}

// -----

llvm.func @offsets(%map: !llvm.ptr, %s: !llvm.ptr<3>, %i: i32) {
  // expected-error @+1 {{'mx.bulk_load' op needs the offset of every map, found 2 for 1 maps}}
  mx.bulk_load %map[%i, %i] to %s offsets = [0, 4096] barrier = 16384 thread %i box = [8, 256] groups = 4 group_stride = 32 element_bytes = [2] : !llvm.ptr -> !llvm.ptr<3>
  llvm.return
}
