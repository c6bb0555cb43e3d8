// RUN: mxc-opt %s -split-input-file -verify-diagnostics
llvm.func @each_lane(%g: !llvm.ptr<1>, %i: i32, %b: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [512]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected 2 sources, places and conditions a lane, found 2, 1 and 2}}
      mx.copy_pieces %g, %g at %i where %b, %b to %r[%stage] part = 0 bytes = 4 count = 48 : !llvm.ptr<1>, !llvm.ptr<1>
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

llvm.func @one_warp(%g: !llvm.ptr<1>, %i: i32, %b: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [512]
  mx.role "load" first = 0 warps = 4 {
    mx.fill %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected a role of one warp, found 4}}
      mx.copy_pieces %g at %i where %b to %r[%stage] part = 0 bytes = 16 count = 32 : !llvm.ptr<1>
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

llvm.func @room(%g: !llvm.ptr<1>, %i: i32, %b: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [512]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected at least 1024 bytes in part 0, found 512}}
      mx.copy_pieces %g, %g at %i, %i where %b, %b to %r[%stage] part = 0 bytes = 16 count = 64 : !llvm.ptr<1>, !llvm.ptr<1>
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

llvm.func @size(%g: !llvm.ptr<1>, %i: i32, %b: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [512]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{bytes expected 4 or 16, found 8}}
      mx.copy_pieces %g at %i where %b to %r[%stage] part = 0 bytes = 8 count = 32 : !llvm.ptr<1>
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

llvm.func @count(%g: !llvm.ptr<1>, %i: i32, %b: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [512]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{count expected at least 1, found 0}}
      mx.copy_pieces %g at %i where %b to %r[%stage] part = 0 bytes = 16 count = 0 : !llvm.ptr<1>
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

llvm.func @within_fill(%g: !llvm.ptr<1>, %i: i32, %b: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [512]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_pieces %g at %i where %b to %r[%stage] part = 0 bytes = 16 count = 32 : !llvm.ptr<1>
    }
    // expected-error @+1 {{expected mx.fill of the ring directly around it, found mx.role}}
    mx.copy_pieces %g at %i where %b to %r[%i] part = 0 bytes = 16 count = 32 : !llvm.ptr<1>
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

llvm.func @several(%map: !llvm.ptr, %g: !llvm.ptr<1>, %i: i32, %b: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [1024]
  mx.role "load" first = 0 warps = 1 {
    // expected-error @+1 {{expected one of copies, tensor core and threads to fill the stage, found several}}
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_pieces %g at %i where %b to %r[%stage] part = 0 bytes = 16 count = 32 : !llvm.ptr<1>
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
