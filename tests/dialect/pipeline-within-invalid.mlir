// RUN: mxc-opt %s -split-input-file -verify-diagnostics
// Pipelines that are a step of a kernel, and what stands outside of roles in them.

llvm.func @no_step(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  // expected-error @+1 {{expected an mx.role or mx.use beside it, found none}}
  mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  llvm.return
}

// -----

llvm.func @tensor_columns_within(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  // expected-error @+1 {{within shared memory expected warps alone, found tensor_columns, pair, sharing, splits or registers}}
  mx.pipeline within %memory warps = 8 tensor_columns = 32 : !llvm.ptr<3>
  %r = mx.ring "r" stages = 1 once parts = [8192]
  mx.fill %r {
  ^bb0(%stage: i32):
    mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
  }
  mx.use %r {
  ^bb0(%stage: i32):
  }
  llvm.return
}

// -----

llvm.func @pair_within(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  // expected-error @+1 {{within shared memory expected warps alone, found tensor_columns, pair, sharing, splits or registers}}
  mx.pipeline within %memory warps = 8 pair : !llvm.ptr<3>
  %r = mx.ring "r" stages = 1 once parts = [8192]
  mx.fill %r {
  ^bb0(%stage: i32):
    mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
  }
  mx.use %r {
  ^bb0(%stage: i32):
  }
  llvm.return
}

// -----

llvm.func @sharing_within(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  // expected-error @+1 {{within shared memory expected warps alone, found tensor_columns, pair, sharing, splits or registers}}
  mx.pipeline within %memory warps = 8 sharing : !llvm.ptr<3>
  %r = mx.ring "r" stages = 1 once parts = [8192]
  mx.fill %r {
  ^bb0(%stage: i32):
    mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
  }
  mx.use %r {
  ^bb0(%stage: i32):
  }
  llvm.return
}

// -----

llvm.func @splits_within(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  // expected-error @+1 {{within shared memory expected warps alone, found tensor_columns, pair, sharing, splits or registers}}
  mx.pipeline within %memory warps = 8 splits = 2 : !llvm.ptr<3>
  %r = mx.ring "r" stages = 1 once parts = [8192]
  mx.fill %r {
  ^bb0(%stage: i32):
    mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
  }
  mx.use %r {
  ^bb0(%stage: i32):
  }
  llvm.return
}

// -----

llvm.func @registers_within(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  // expected-error @+1 {{within shared memory expected warps alone, found tensor_columns, pair, sharing, splits or registers}}
  mx.pipeline within %memory warps = 8 registers = [24, 24] : !llvm.ptr<3>
  %r = mx.ring "r" stages = 1 once parts = [8192]
  mx.fill %r {
  ^bb0(%stage: i32):
    mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
  }
  mx.use %r {
  ^bb0(%stage: i32):
  }
  llvm.return
}

// -----

llvm.func @deeper_without(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  scf.if %true {
    // expected-error @+1 {{expected a function directly around it, found none}}
    mx.pipeline warps = 8
  }
  llvm.return
}

// -----

llvm.func @second_deeper(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  // expected-error @+1 {{expected one a function, found another one}}
  mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  %r = mx.ring "r" stages = 1 once parts = [8192]
  mx.fill %r {
  ^bb0(%stage: i32):
    mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
  }
  mx.use %r {
  ^bb0(%stage: i32):
  }
  scf.if %true {
    // expected-note @+1 {{the other one}}
    mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  }
  llvm.return
}

// -----

llvm.func @early(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  %r = mx.ring "r" stages = 1 once parts = [8192]
  // expected-error @+1 {{early expected a pipeline that waits for earlier grids, found one within a kernel}}
  mx.role "load" first = 0 warps = 1 early {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.use %r {
  ^bb0(%stage: i32):
  }
  llvm.return
}

// -----

llvm.func @not_once(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  %r = mx.ring "r" stages = 2 parts = [8192]
  // expected-error @+1 {{outside of roles expected a ring that is filled once, found "r"}}
  mx.fill %r {
  ^bb0(%stage: i32):
    mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
  }
  mx.use %r {
  ^bb0(%stage: i32):
  }
  llvm.return
}

// -----

llvm.func @use_not_once(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  %r = mx.ring "r" stages = 2 parts = [8192]
  mx.role "rows" first = 0 warps = 4 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  // expected-error @+1 {{outside of roles expected a ring that is filled once, found "r"}}
  mx.use %r {
  ^bb0(%stage: i32):
  }
  llvm.return
}

// -----

llvm.func @fill_deeper(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  %r = mx.ring "r" stages = 1 once parts = [8192]
  scf.if %true {
    // expected-error @+1 {{outside of roles expected to stand beside mx.pipeline, found it deeper}}
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.use %r {
  ^bb0(%stage: i32):
  }
  llvm.return
}

// -----

llvm.func @use_deeper(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  %r = mx.ring "r" stages = 1 once parts = [8192]
  mx.fill %r {
  ^bb0(%stage: i32):
    mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
  }
  scf.if %true {
    // expected-error @+1 {{outside of roles expected to stand beside mx.pipeline, found it deeper}}
    mx.use %r {
    ^bb0(%stage: i32):
    }
  }
  mx.use %r {
  ^bb0(%stage: i32):
  }
  llvm.return
}

// -----

llvm.func @fill_after_use(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  %r = mx.ring "r" stages = 1 once parts = [8192]
  mx.use %r {
  ^bb0(%stage: i32):
  }
  // expected-error @+1 {{outside of roles expected to stand before roles and uses, found mx.use before it}}
  mx.fill %r {
  ^bb0(%stage: i32):
    mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
  }
  llvm.return
}

// -----

llvm.func @fill_by_all(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  %r = mx.ring "r" stages = 1 once parts = [8192]
  // expected-error @+1 {{outside of roles expected copies of boxes, found none}}
  mx.fill %r {
  ^bb0(%stage: i32):
  }
  mx.use %r {
  ^bb0(%stage: i32):
  }
  llvm.return
}
