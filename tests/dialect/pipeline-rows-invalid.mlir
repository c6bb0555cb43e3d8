// RUN: mxc-opt %s -split-input-file -verify-diagnostics
// mx.copy_row: a row a thread of the role.

llvm.func @outside_of_fill(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  %r = mx.ring "r" stages = 1 once parts = [8192]
  mx.fill %r {
  ^bb0(%stage: i32):
    mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
  }
  mx.use %r {
  ^bb0(%stage: i32):
    // expected-error @+1 {{expected mx.fill of the ring directly around it, found mx.use}}
    mx.copy_row %row bytes %i where %true to %r[%stage] part = 0 row_bytes = 64 : !llvm.ptr<1>
  }
  llvm.return
}

// -----

llvm.func @in_a_branch(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  %r = mx.ring "r" stages = 1 once parts = [8192]
  mx.role "rows" first = 0 warps = 4 {
    mx.fill %r {
    ^bb0(%stage: i32):
      scf.if %true {
        // expected-error @+1 {{expected mx.fill of the ring directly around it, found scf.if}}
        mx.copy_row %row bytes %i where %true to %r[%stage] part = 0 row_bytes = 64 : !llvm.ptr<1>
      }
    }
  }
  mx.use %r {
  ^bb0(%stage: i32):
  }
  llvm.return
}

// -----

llvm.func @outside_of_roles(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  %r = mx.ring "r" stages = 1 once parts = [8192]
  mx.fill %r {
  ^bb0(%stage: i32):
    // expected-error @+1 {{expected mx.role around it, found none}}
    mx.copy_row %row bytes %i where %true to %r[%stage] part = 0 row_bytes = 64 : !llvm.ptr<1>
  }
  mx.use %r {
  ^bb0(%stage: i32):
  }
  llvm.return
}

// -----

llvm.func @not_once(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8
  %r = mx.ring "r" stages = 2 parts = [8192]
  mx.role "rows" first = 0 warps = 4 {
    mx.fill %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected a ring that is filled once, found "r"}}
      mx.copy_row %row bytes %i where %true to %r[%stage] part = 0 row_bytes = 64 : !llvm.ptr<1>
    }
  }
  mx.role "use" first = 4 warps = 4 {
    mx.use %r {
    ^bb0(%stage: i32):
    }
  }
  llvm.return
}

// -----

llvm.func @row_bytes_8(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  %r = mx.ring "r" stages = 1 once parts = [8192]
  mx.role "rows" first = 0 warps = 4 {
    mx.fill %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{row_bytes expected a power of two from 16 on, found 8}}
      mx.copy_row %row bytes %i where %true to %r[%stage] part = 0 row_bytes = 8 : !llvm.ptr<1>
    }
  }
  mx.use %r {
  ^bb0(%stage: i32):
  }
  llvm.return
}

// -----

llvm.func @row_bytes_48(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  %r = mx.ring "r" stages = 1 once parts = [8192]
  mx.role "rows" first = 0 warps = 4 {
    mx.fill %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{row_bytes expected a power of two from 16 on, found 48}}
      mx.copy_row %row bytes %i where %true to %r[%stage] part = 0 row_bytes = 48 : !llvm.ptr<1>
    }
  }
  mx.use %r {
  ^bb0(%stage: i32):
  }
  llvm.return
}

// -----

llvm.func @part(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  %r = mx.ring "r" stages = 1 once parts = [8192]
  mx.role "rows" first = 0 warps = 4 {
    mx.fill %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{part expected 0 to 0, found 1}}
      mx.copy_row %row bytes %i where %true to %r[%stage] part = 1 row_bytes = 64 : !llvm.ptr<1>
    }
  }
  mx.use %r {
  ^bb0(%stage: i32):
  }
  llvm.return
}

// -----

llvm.func @bytes(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  %r = mx.ring "r" stages = 1 once parts = [8192]
  mx.role "rows" first = 0 warps = 4 {
    mx.fill %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected at least 16384 bytes in part 0, found 8192}}
      mx.copy_row %row bytes %i where %true to %r[%stage] part = 0 row_bytes = 128 : !llvm.ptr<1>
    }
  }
  mx.use %r {
  ^bb0(%stage: i32):
  }
  llvm.return
}

// -----

llvm.func @mixed(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  %r = mx.ring "r" stages = 1 once parts = [8192]
  mx.role "rows" first = 0 warps = 4 {
    // expected-error @+1 {{expected one of copies, tensor core and threads to fill the stage, found several}}
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
      mx.copy_row %row bytes %i where %true to %r[%stage] part = 0 row_bytes = 64 : !llvm.ptr<1>
    }
  }
  mx.use %r {
  ^bb0(%stage: i32):
  }
  llvm.return
}
