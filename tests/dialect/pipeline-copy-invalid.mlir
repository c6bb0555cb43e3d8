// RUN: mxc-opt %s -split-input-file -verify-diagnostics

llvm.func @outside(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [1024]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "use" first = 4 warps = 4 {
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected mx.fill of the ring directly around it, found mx.use}}
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  llvm.return
}

// -----

llvm.func @part(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [1024]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{part expected 0 to 0, found 1}}
      mx.copy_box %map[%i] to %r[%stage] part = 1 bytes = 1024 : !llvm.ptr
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

llvm.func @bytes(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [1024]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected at least 2048 bytes in part 0, found 1024}}
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 2048 : !llvm.ptr
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

llvm.func @whole_pieces(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [1024]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected a multiple of 16 bytes, found 8}}
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 8 : !llvm.ptr
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

llvm.func @multicast(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [1024]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{multicast expected two CTAs, found neither pair nor sharing}}
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 multicast : !llvm.ptr
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

llvm.func @coordinates(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [1024]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{coordinates expected 1 to 5, found 0}}
      mx.copy_box %map[] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
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

llvm.func @stage(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [1024]
  %two = llvm.mlir.constant(2 : i32) : i32
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{stage expected 0 to 1, found 2}}
      mx.copy_box %map[%i] to %r[%two] part = 0 bytes = 1024 : !llvm.ptr
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

llvm.func @address_part(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [1024]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "use" first = 4 warps = 4 {
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{part expected 0 to 0, found 3}}
      %at = mx.stage_address %r[%stage] part = 3 : !llvm.ptr<3>
    }
  }
  llvm.return
}

// -----

llvm.func @offset(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [1024]
  %offset = llvm.mlir.constant(-16 : i32) : i32
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{offset expected at least 0, found -16}}
      mx.copy_box %map[%i] to %r[%stage] part = 0 offset %offset bytes = 512 : !llvm.ptr
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

llvm.func @offset_beyond(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [1024]
  %offset = llvm.mlir.constant(1024 : i32) : i32
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected at least 1536 bytes in part 0, found 1024}}
      mx.copy_box %map[%i] to %r[%stage] part = 0 offset %offset bytes = 512 : !llvm.ptr
    }
  }
  mx.role "use" first = 4 warps = 4 {
    mx.use %r {
    ^bb0(%stage: i32):
    }
  }
  llvm.return
}
