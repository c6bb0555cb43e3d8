// RUN: mxc-opt %s -split-input-file -verify-diagnostics

llvm.func @m(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
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
        // expected-error @+1 {{m expected 128, found 256}}
        mx.block_mma %r[%stage] into %d[%place] accumulate %true b_column %i kind = mxf8f6f4 m = 256 n = 48 k = 128 a = f8E4M3FN b = f8E4M3FN scale = f8E8M0FNU scale_a = 0 scale_b = 4 selectors = [0, 1, 2, 3]
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

llvm.func @n(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
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
        // expected-error @+1 {{n expected a multiple of 16 up to 256, found 24}}
        mx.block_mma %r[%stage] into %d[%place] accumulate %true b_column %i kind = mxf8f6f4 m = 128 n = 24 k = 128 a = f8E4M3FN b = f8E4M3FN scale = f8E8M0FNU scale_a = 0 scale_b = 4 selectors = [0, 1, 2, 3]
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

llvm.func @element(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
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
        // expected-error @+1 {{expected an element format, found}}
        mx.block_mma %r[%stage] into %d[%place] accumulate %true b_column %i kind = mxf8f6f4 m = 128 n = 48 k = 128 a = i32 b = f8E4M3FN scale = f8E8M0FNU scale_a = 0 scale_b = 4 selectors = [0, 1, 2, 3]
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

llvm.func @columns(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
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
        // expected-error @+1 {{expected 64 columns of the accumulator, found 48}}
        mx.block_mma %r[%stage] into %d[%place] accumulate %true b_column %i kind = mxf8f6f4 m = 128 n = 64 k = 128 a = f8E4M3FN b = f8E4M3FN scale = f8E8M0FNU scale_a = 0 scale_b = 4 selectors = [0, 1, 2, 3]
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

llvm.func @scale(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
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
        // expected-error @+1 {{scale_b expected 0 to 7, found 8}}
        mx.block_mma %r[%stage] into %d[%place] accumulate %true b_column %i kind = mxf8f6f4 m = 128 n = 48 k = 128 a = f8E4M3FN b = f8E4M3FN scale = f8E8M0FNU scale_a = 0 scale_b = 8 selectors = [0, 1, 2, 3]
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

llvm.func @read(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 64 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [16384, 8192, 512, 512] columns = 8
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "use" first = 4 warps = 4 {
    // expected-error @+1 {{expected mx.use of the ring around it, found none}}
    %v = mx.read_accumulator %r[%i] column %i : vector<8xf32>
    mx.use %r {
    ^bb0(%stage: i32):
    }
  }
  llvm.return
}

// -----

llvm.func @read_count(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 64 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [16384, 8192, 512, 512] columns = 8
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "use" first = 4 warps = 4 {
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected a power of two from 2 to 128 columns, found 6}}
      %v = mx.read_accumulator %r[%stage] column %i : vector<6xf32>
    }
  }
  llvm.return
}

// -----

llvm.func @accumulator_is_used(%map: !llvm.ptr, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 64 allocating_warp = 0
  %r = mx.ring "r" stages = 1 parts = [16384, 8192, 512, 512] columns = 8
  %sums = mx.ring "sums" stages = 1 columns = 48
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "multiply" first = 1 warps = 1 {
    mx.fill %sums {
    ^bb0(%place: i32):
    }
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected mx.fill of the ring around it, found none}}
      mx.block_mma %r[%stage] into %sums[%i] accumulate %true b_column %i kind = mxf8f6f4 m = 128 n = 48 k = 128 a = f8E4M3FN b = f8E4M3FN scale = f8E8M0FNU scale_a = 0 scale_b = 4 selectors = [0, 1, 2, 3]
    }
  }
  mx.role "store" first = 4 warps = 4 {
    mx.use %sums {
    ^bb0(%place: i32):
    }
  }
  llvm.return
}

// -----

llvm.func @read_column(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 64 allocating_warp = 0
  %sums = mx.ring "sums" stages = 1 columns = 48
  %column = llvm.mlir.constant(48 : i32) : i32
  mx.role "multiply" first = 1 warps = 1 {
    mx.fill %sums {
    ^bb0(%place: i32):
    }
  }
  mx.role "store" first = 4 warps = 4 {
    mx.use %sums {
    ^bb0(%place: i32):
      // expected-error @+1 {{last column expected 1 to 47, found 49}}
      %values = mx.read_accumulator %sums[%place] column %column : vector<2xf32>
    }
  }
  llvm.return
}

// -----
llvm.func @columns(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
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
        // expected-error @+1 {{expected f4E2M1FN of kind mxf4, found 'f8E4M3FN'}}
        mx.block_mma %r[%stage] into %d[%place] accumulate %true b_column %i kind = mxf4 m = 128 n = 48 k = 256 a = f8E4M3FN b = f4E2M1FN scale = f8E8M0FNU scale_a = 0 scale_b = 4 selectors = [0, 2, 0, 2] scale_tiles = 2
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
llvm.func @columns(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
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
        // expected-error @+1 {{scale expected f8E4M3FN, found 'f8E8M0FNU'}}
        mx.block_mma %r[%stage] into %d[%place] accumulate %true b_column %i kind = mxf4nvf4 m = 128 n = 48 k = 256 a = f4E2M1FN b = f4E2M1FN scale = f8E8M0FNU scale_a = 0 scale_b = 4 selectors = [0, 0, 0, 0] scale_tiles = 4
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
llvm.func @columns(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
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
        // expected-error @+1 {{k expected 256 with 4 selectors, found 128}}
        mx.block_mma %r[%stage] into %d[%place] accumulate %true b_column %i kind = mxf4 m = 128 n = 48 k = 128 a = f4E2M1FN b = f4E2M1FN scale = f8E8M0FNU scale_a = 0 scale_b = 4 selectors = [0, 2, 0, 2] scale_tiles = 2
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
llvm.func @columns(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
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
        // expected-error @+1 {{scale_tiles}}
        mx.block_mma %r[%stage] into %d[%place] accumulate %true b_column %i kind = mxf4 m = 128 n = 48 k = 256 a = f4E2M1FN b = f4E2M1FN scale = f8E8M0FNU scale_a = 0 scale_b = 4 selectors = [0, 2, 0, 2] scale_tiles = 5
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
