// RUN: mxc-opt %s -split-input-file -verify-diagnostics
// Rings that are filled once.

llvm.func @stages(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  // expected-error @+1 {{filled once expected one stage of shared memory, found 2 and 0 columns}}
  %r = mx.ring "r" stages = 2 once parts = [8192]
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

llvm.func @columns(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 32
  // expected-error @+1 {{filled once expected one stage of shared memory, found 1 and 32 columns}}
  %r = mx.ring "r" stages = 1 once columns = 32
  mx.role "rows" first = 0 warps = 4 {
    mx.fill %r {
    ^bb0(%stage: i32):
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

llvm.func @two_fills(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  // expected-error @+1 {{filled once expected one mx.fill, found 2}}
  %r = mx.ring "r" stages = 1 once parts = [8192]
  mx.fill %r {
  ^bb0(%stage: i32):
    mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
  }
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

llvm.func @in_a_loop(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  %r = mx.ring "r" stages = 1 once parts = [8192]
  mx.role "rows" first = 0 warps = 4 {
    scf.for %n = %i to %i step %i : i32 {
      // expected-error @+1 {{of a ring that is filled once expected mx.role directly around it, found scf.for}}
      mx.fill %r {
      ^bb0(%stage: i32):
        mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
      }
    }
  }
  mx.use %r {
  ^bb0(%stage: i32):
  }
  llvm.return
}

// -----

llvm.func @queue(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8
  // expected-error @+1 {{filled once expected mx.fill and mx.use alone, found mx.hand_out}}
  %r = mx.ring "r" stages = 1 once parts = [32]
  mx.role "rows" first = 0 warps = 4 {
    mx.hand_out %i x %i x %i of %i by %i tile = 128 x 128 x 128 schedule = #mx.static_schedule<supergroup = 8, slices = 1> by %row : !llvm.ptr<1> to %r
  }
  mx.role "use" first = 4 warps = 4 {
    mx.use %r {
    ^bb0(%stage: i32):
    }
  }
  llvm.return
}

// -----

llvm.func @other_engine(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8
  // expected-error @+1 {{filled once expected threads to use it, found another engine}}
  %r = mx.ring "r" stages = 1 once parts = [16384, 8192]
  mx.role "rows" first = 0 warps = 4 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "use" first = 4 warps = 4 {
    %z = mx.zero_accumulator : !mx.accumulator<64>
    mx.use %r {
    ^bb0(%stage: i32):
      %a = mx.warpgroup_mma %r[%stage] onto %z steps = 4 : !mx.accumulator<64>
    }
  }
  llvm.return
}

// -----

llvm.func @release(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  %r = mx.ring "r" stages = 1 once parts = [8192]
  mx.fill %r {
  ^bb0(%stage: i32):
    mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
  }
  mx.use %r {
  ^bb0(%stage: i32):
    // expected-error @+1 {{expected a ring that is filled again, found one filled once}}
    mx.release %r
  }
  llvm.return
}

// -----

llvm.func @alignment_64(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  // expected-error @+1 {{expected an alignment that is a power of two from 128 on, found 64}}
  %r = mx.ring "r" stages = 1 once parts = [8192] alignment = 64
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

llvm.func @alignment_192(%map: !llvm.ptr, %row: !llvm.ptr<1>, %memory: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
  // expected-error @+1 {{expected an alignment that is a power of two from 128 on, found 192}}
  %r = mx.ring "r" stages = 1 once parts = [8192] alignment = 192
  mx.fill %r {
  ^bb0(%stage: i32):
    mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
  }
  mx.use %r {
  ^bb0(%stage: i32):
  }
  llvm.return
}
