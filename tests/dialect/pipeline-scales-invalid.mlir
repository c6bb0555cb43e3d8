// RUN: mxc-opt %s -split-input-file -verify-diagnostics

llvm.func @scales_part(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 64 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [16384, 8192, 512, 512] columns = 8
  %d = mx.ring "d" stages = 1 columns = 48
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "mma" first = 1 warps = 1 {
    mx.fill %d {
    ^bb0(%place: i32):
      mx.use %r {
      ^bb0(%stage: i32):
        // expected-error @+1 {{part expected 0 to 3, found 4}}
        mx.copy_scales %r[%stage] parts = [4]
      }
    }
  }
  mx.role "store" first = 4 warps = 4 {
    mx.use %d {
    ^bb0(%place: i32):
    }
  }
  llvm.return
}

// -----

llvm.func @scales_columns(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 64 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [16384, 8192, 512, 512] columns = 8
  %d = mx.ring "d" stages = 1 columns = 48
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "mma" first = 1 warps = 1 {
    mx.fill %d {
    ^bb0(%place: i32):
      mx.use %r {
      ^bb0(%stage: i32):
        // expected-error @+1 {{expected 64 columns of the stage, found 8}}
        mx.copy_scales %r[%stage] parts = [1]
      }
    }
  }
  mx.role "store" first = 4 warps = 4 {
    mx.use %d {
    ^bb0(%place: i32):
    }
  }
  llvm.return
}

// -----

llvm.func @scales_pair(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 64 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [16384, 8192, 512, 512] columns = 8
  %d = mx.ring "d" stages = 1 columns = 48
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "mma" first = 1 warps = 1 {
    mx.fill %d {
    ^bb0(%place: i32):
      mx.use %r {
      ^bb0(%stage: i32):
        // expected-error @+1 {{expected pair as its pipeline says, found it here alone}}
        mx.copy_scales %r[%stage] parts = [2] pair
      }
    }
  }
  mx.role "store" first = 4 warps = 4 {
    mx.use %d {
    ^bb0(%place: i32):
    }
  }
  llvm.return
}

// -----

llvm.func @scales_pair_there(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 64 allocating_warp = 1 pair
  %r = mx.ring "r" stages = 1 parts = [16384, 8192, 512, 512] columns = 8
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "multiply" first = 1 warps = 1 {
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected pair as its pipeline says, found it there alone}}
      mx.copy_scales %r[%stage] parts = [2]
    }
  }
  llvm.return
}

// -----

llvm.func @scales_sharing(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 64 allocating_warp = 1 sharing
  %r = mx.ring "r" stages = 1 parts = [16384, 8192, 512, 512] columns = 8
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "multiply" first = 1 warps = 1 {
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected CTAs that do not share stages, found sharing}}
      mx.copy_scales %r[%stage] parts = [2]
    }
  }
  llvm.return
}

// -----

llvm.func @scales_no_parts(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 64 allocating_warp = 1
  %r = mx.ring "r" stages = 1 parts = [16384, 8192, 512, 512] columns = 8
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "multiply" first = 1 warps = 1 {
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected parts, found none}}
      mx.copy_scales %r[%stage] parts = []
    }
  }
  llvm.return
}

// -----

llvm.func @scales_tiles(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 64 allocating_warp = 1
  %r = mx.ring "r" stages = 1 parts = [16384, 8192, 512, 528] columns = 8
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "multiply" first = 1 warps = 1 {
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected parts of whole tiles of 512 bytes, found 528}}
      mx.copy_scales %r[%stage] parts = [3]
    }
  }
  llvm.return
}
