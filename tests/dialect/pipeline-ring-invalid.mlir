// RUN: mxc-opt %s -split-input-file -verify-diagnostics

llvm.func @no_pipeline(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  // expected-error @+1 {{expected mx.pipeline before it in its function, found none}}
  %r = mx.ring "r" stages = 2 parts = [1024]
  llvm.return
}

// -----

llvm.func @no_filler(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  // expected-error @+1 {{expected a role that fills it, found none}}
  %r = mx.ring "r" stages = 2 parts = [1024]
  mx.role "use" first = 4 warps = 4 {
    mx.use %r {
    ^bb0(%stage: i32):
      %at = mx.stage_address %r[%stage] part = 0 : !llvm.ptr<3>
    }
  }
  llvm.return
}

// -----

llvm.func @no_user(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  // expected-error @+1 {{expected a role that uses it, found none}}
  %r = mx.ring "r" stages = 2 parts = [1024]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  llvm.return
}

// -----

llvm.func @stages(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  // expected-error @+1 {{needs at least one stage, found 0}}
  %r = mx.ring "r" stages = 0 parts = [1024]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "use" first = 4 warps = 4 {
    mx.use %r {
    ^bb0(%stage: i32):
      %at = mx.stage_address %r[%stage] part = 0 : !llvm.ptr<3>
    }
  }
  llvm.return
}

// -----

llvm.func @parts(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  // expected-error @+1 {{parts must be multiples of 16 bytes, found 1000}}
  %r = mx.ring "r" stages = 2 parts = [1000]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "use" first = 4 warps = 4 {
    mx.use %r {
    ^bb0(%stage: i32):
      %at = mx.stage_address %r[%stage] part = 0 : !llvm.ptr<3>
    }
  }
  llvm.return
}

// -----

llvm.func @overlap(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 64 allocating_warp = 0
  // expected-error @+1 {{overlap is of two stages without parts}}
  %r = mx.ring "r" stages = 1 columns = 32 overlap = 8
  mx.role "r" first = 0 warps = 1 {
  }
  llvm.return
}

// -----

llvm.func @columns(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 64 allocating_warp = 0
  // expected-error @+1 {{expected at most 64 columns of tensor memory with the rings before it, found 128}}
  %r = mx.ring "r" stages = 2 columns = 64
  mx.role "r" first = 0 warps = 1 {
  }
  llvm.return
}

// -----

llvm.func @name(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [1024]
  // expected-error @+1 {{expected a name of its own, found another ring "r"}}
  %q = mx.ring "r" stages = 2 parts = [1024]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "use" first = 4 warps = 4 {
    mx.use %r {
    ^bb0(%stage: i32):
      %at = mx.stage_address %r[%stage] part = 0 : !llvm.ptr<3>
    }
  }
  llvm.return
}

// -----

llvm.func @one_role_two_ways(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  // expected-error @+1 {{expected every mx.fill of a role to work in one way, found several}}
  %r = mx.ring "r" stages = 2 parts = [1024]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
    mx.fill %r {
    ^bb0(%stage: i32):
      %at = mx.stage_address %r[%stage] part = 0 : !llvm.ptr<3>
    }
  }
  mx.role "use" first = 4 warps = 4 {
    mx.use %r {
    ^bb0(%stage: i32):
      %at = mx.stage_address %r[%stage] part = 0 : !llvm.ptr<3>
    }
  }
  llvm.return
}

// -----

llvm.func @shared_bytes(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  // expected-error @+1 {{expected bytes above 0, found 0}}
  %x = mx.shared "x" bytes = 0 alignment = 16 : !llvm.ptr<3>
  mx.role "r" first = 0 warps = 1 {
  }
  llvm.return
}

// -----

llvm.func @shared_alignment(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  // expected-error @+1 {{expected an alignment that is a power of two, found 24}}
  %x = mx.shared "x" bytes = 16 alignment = 24 : !llvm.ptr<3>
  mx.role "r" first = 0 warps = 1 {
  }
  llvm.return
}

// -----

llvm.func @shared_space(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  // expected-error @+1 {{address expected !llvm.ptr<3>, found}}
  %x = mx.shared "x" bytes = 16 alignment = 16 : !llvm.ptr
  mx.role "r" first = 0 warps = 1 {
  }
  llvm.return
}

// -----

llvm.func @deeper(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "load" first = 0 warps = 1 {
    // expected-error @+1 {{expected to stand beside mx.pipeline, found it deeper}}
    %r = mx.ring "r" stages = 2 parts = [1024]
  }
  llvm.return
}

// -----

llvm.func @user_two_ways(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  // expected-error @+1 {{expected every mx.use of a role to work in one way, found several}}
  %r = mx.ring "r" stages = 2 parts = [8192, 8192]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "use" first = 4 warps = 4 {
    mx.use %r {
    ^bb0(%stage: i32):
    }
    %z = mx.zero_accumulator : !mx.accumulator<64>
    mx.use %r {
    ^bb0(%stage: i32):
      %a = mx.warpgroup_mma %r[%stage] onto %z steps = 4 : !mx.accumulator<64>
    }
  }
  llvm.return
}

// -----

llvm.func @pair_two_ways(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 64 allocating_warp = 1 pair
  // expected-error @+1 {{expected roles of a pair to use it in one way, found several}}
  %r = mx.ring "r" stages = 2 parts = [1024, 512] columns = 4
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "multiply" first = 1 warps = 1 leader {
    mx.use %r {
    ^bb0(%stage: i32):
      mx.copy_scales %r[%stage] parts = [1] pair
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

llvm.func @no_ring(%i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %other = builtin.unrealized_conversion_cast %i : i32 to !mx.ring
  mx.role "load" first = 0 warps = 1 {
    // expected-error @+1 {{expected a ring that mx.ring makes, found another value}}
    mx.fill %other {
    ^bb0(%stage: i32):
    }
  }
  llvm.return
}
