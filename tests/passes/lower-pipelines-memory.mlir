// The memory that a pipeline lies within holds its rings and their barriers, at an alignment that is theirs.
// RUN: mxc-opt --mx-lower-pipelines %s -split-input-file -verify-diagnostics

llvm.func @fits(%map: !llvm.ptr, %i: i32) {
  %memory = mx.shared_memory bytes = 8208 alignment = 128 : !llvm.ptr<3>
  mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  %ring = mx.ring "inputs" stages = 1 once parts = [8192] alignment = 128
  mx.fill %ring {
  ^bb0(%stage: i32):
    mx.copy_box %map[%i, %i] to %ring[%stage] part = 0 bytes = 8192 : !llvm.ptr
  }
  mx.use %ring {
  ^bb0(%stage: i32):
  }
  llvm.return
}

// -----

llvm.func @bytes(%map: !llvm.ptr, %i: i32) {
  %memory = mx.shared_memory bytes = 8192 alignment = 128 : !llvm.ptr<3>
  // expected-error @+1 {{expected 8208 bytes of shared memory at a multiple of 128 for its rings, found 8192 at one of 128}}
  mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  %ring = mx.ring "inputs" stages = 1 once parts = [8192] alignment = 128
  mx.fill %ring {
  ^bb0(%stage: i32):
    mx.copy_box %map[%i, %i] to %ring[%stage] part = 0 bytes = 8192 : !llvm.ptr
  }
  mx.use %ring {
  ^bb0(%stage: i32):
  }
  llvm.return
}

// -----

llvm.func @alignment(%map: !llvm.ptr, %i: i32) {
  %memory = mx.shared_memory bytes = 8208 alignment = 128 : !llvm.ptr<3>
  // expected-error @+1 {{expected 8208 bytes of shared memory at a multiple of 1024 for its rings, found 8208 at one of 128}}
  mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  %ring = mx.ring "inputs" stages = 1 once parts = [8192]
  mx.fill %ring {
  ^bb0(%stage: i32):
    mx.copy_box %map[%i, %i] to %ring[%stage] part = 0 bytes = 8192 : !llvm.ptr
  }
  mx.use %ring {
  ^bb0(%stage: i32):
  }
  llvm.return
}
