// RUN: mxc-opt %s -split-input-file -verify-diagnostics
llvm.func @rows_of_each_lane(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [8192]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected 2 rows a lane, found 1}}
      mx.copy_named_rows %map[%i] rows %i to %r[%stage] part = 0 count = 48 : !llvm.ptr
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

llvm.func @one_warp(%g: !llvm.ptr<1>) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [512]
  mx.role "load" first = 0 warps = 4 {
    mx.fill %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected a role of one warp, found 4}}
      mx.copy_pieces %g to %r[%stage] part = 0 count = 32 : !llvm.ptr<1>
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

llvm.func @room(%g: !llvm.ptr<1>) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [512]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected at least 528 bytes in part 0, found 512}}
      mx.copy_pieces %g to %r[%stage] part = 0 offset = 16 count = 32 : !llvm.ptr<1>
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

llvm.func @offset(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [8192]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{offset expected a multiple of 128, found 64}}
      mx.copy_named_rows %map[%i] rows %i to %r[%stage] part = 0 offset = 64 count = 16 : !llvm.ptr
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

llvm.func @within_fill(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [8192]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
    // expected-error @+1 {{expected mx.fill of the ring directly around it, found mx.role}}
    mx.copy_named_rows %map[%i] rows %i to %r[%i] part = 0 count = 16 : !llvm.ptr
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

llvm.func @scales_apart(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 12 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 1 parts = [16384, 512]
  mx.role "load" first = 8 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "use" first = 0 warps = 8 {
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected at least 1024 bytes in part 1, found 512}}
      %f = mx.load_fragments %r[%stage] half = 0 first %i blocks %i apart f8E4M3FN : vector<16xi32>
    }
  }
  llvm.return
}

// -----

llvm.func @quarters(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 1 parts = [8192, 1024]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "use" first = 4 warps = 4 {
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected quarters of two rows, in one part of the tile's rows, found 1}}
      %f = mx.load_fragments %r[%stage] half = 0 first %i blocks %i quarters %i f8E4M3FN : vector<16xi32>
    }
  }
  llvm.return
}
