// mx.wide_mma, uses of a ring within each other, and mx.release of one of them: as they are printed, and what is refused.
// RUN: mxc-opt %s -split-input-file -verify-diagnostics | mxc-opt -split-input-file | FileCheck %s

// CHECK-LABEL: llvm.func @nested
llvm.func @nested(%map: !llvm.ptr, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 256 allocating_warp = 0
  %r = mx.ring "r" stages = 3 parts = [16384, 16384]
  %s = mx.ring "s" stages = 2 parts = [1536, 1536] alignment = 512 columns = 24
  %d = mx.ring "d" stages = 1 columns = 128
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
    mx.fill %s {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %s[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "mma" first = 1 warps = 1 {
    mx.fill %d {
    ^bb0(%place: i32):
      mx.use %s {
      ^bb0(%q: i32):
        // CHECK: mx.copy_scales %{{.*}}[%[[Q:.*]]] parts = [0, 1] along = 3{{$}}
        mx.copy_scales %s[%q] parts = [0, 1] along = 3
        // CHECK: mx.use %[[R:.*]] {
        mx.use %r {
        // CHECK: ^bb0(%[[OUTER:.*]]: i32):
        ^bb0(%outer: i32):
          mx.use %r {
          // CHECK: ^bb0(%[[INNER:.*]]: i32):
          ^bb0(%inner: i32):
            // CHECK: mx.wide_mma %[[R]][%[[OUTER]], %[[INNER]]] scales %{{.*}}[%[[Q]]] into %{{.*}}[%{{.*}}] accumulate %{{.*}} b_column %{{.*}} first = 2 count = 1 kind = mxf4 m = 128 n = 128 scale = f8E8M0FNU{{$}}
            mx.wide_mma %r[%outer, %inner] scales %s[%q] into %d[%place] accumulate %true b_column %i first = 2 count = 1 kind = mxf4 m = 128 n = 128 scale = f8E8M0FNU
            // CHECK: mx.release %[[R]][%[[OUTER]]]
            mx.release %r[%outer]
          }
        }
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

llvm.func @kind(%map: !llvm.ptr, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 256 allocating_warp = 0
  %r = mx.ring "r" stages = 3 parts = [16384, 16384]
  %s = mx.ring "s" stages = 2 parts = [1536, 1536] alignment = 512 columns = 24
  %d = mx.ring "d" stages = 1 columns = 128
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
    mx.fill %s {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %s[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "mma" first = 1 warps = 1 {
    mx.fill %d {
    ^bb0(%place: i32):
      mx.use %s {
      ^bb0(%q: i32):
        mx.copy_scales %s[%q] parts = [0, 1] along = 3
        mx.use %r {
        ^bb0(%outer: i32):
          mx.use %r {
          ^bb0(%inner: i32):
            // expected-error @+1 {{kind expected mxf4 or mxf4nvf4, found mxf8f6f4}}
mx.wide_mma %r[%outer, %inner] scales %s[%q] into %d[%place] accumulate %true b_column %i first = 2 count = 1 kind = mxf8f6f4 m = 128 n = 128 scale = f8E8M0FNU
            mx.release %r[%outer]
          }
        }
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

llvm.func @scale(%map: !llvm.ptr, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 256 allocating_warp = 0
  %r = mx.ring "r" stages = 3 parts = [16384, 16384]
  %s = mx.ring "s" stages = 2 parts = [1536, 1536] alignment = 512 columns = 24
  %d = mx.ring "d" stages = 1 columns = 128
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
    mx.fill %s {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %s[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "mma" first = 1 warps = 1 {
    mx.fill %d {
    ^bb0(%place: i32):
      mx.use %s {
      ^bb0(%q: i32):
        mx.copy_scales %s[%q] parts = [0, 1] along = 3
        mx.use %r {
        ^bb0(%outer: i32):
          mx.use %r {
          ^bb0(%inner: i32):
            // expected-error @+1 {{scale expected f8E4M3FN, found}}
mx.wide_mma %r[%outer, %inner] scales %s[%q] into %d[%place] accumulate %true b_column %i first = 2 count = 1 kind = mxf4nvf4 m = 128 n = 128 scale = f8E8M0FNU
            mx.release %r[%outer]
          }
        }
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

llvm.func @columns_of_b(%map: !llvm.ptr, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 256 allocating_warp = 0
  %r = mx.ring "r" stages = 3 parts = [16384, 16384]
  %s = mx.ring "s" stages = 2 parts = [1536, 1536] alignment = 512 columns = 24
  %d = mx.ring "d" stages = 1 columns = 128
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
    mx.fill %s {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %s[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "mma" first = 1 warps = 1 {
    mx.fill %d {
    ^bb0(%place: i32):
      mx.use %s {
      ^bb0(%q: i32):
        mx.copy_scales %s[%q] parts = [0, 1] along = 3
        mx.use %r {
        ^bb0(%outer: i32):
          mx.use %r {
          ^bb0(%inner: i32):
            // expected-error @+1 {{n expected 128, 192 or 256, found 64}}
mx.wide_mma %r[%outer, %inner] scales %s[%q] into %d[%place] accumulate %true b_column %i first = 2 count = 1 kind = mxf4 m = 128 n = 64 scale = f8E8M0FNU
            mx.release %r[%outer]
          }
        }
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

llvm.func @beyond(%map: !llvm.ptr, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 256 allocating_warp = 0
  %r = mx.ring "r" stages = 3 parts = [16384, 16384]
  %s = mx.ring "s" stages = 2 parts = [1536, 1536] alignment = 512 columns = 24
  %d = mx.ring "d" stages = 1 columns = 128
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
    mx.fill %s {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %s[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "mma" first = 1 warps = 1 {
    mx.fill %d {
    ^bb0(%place: i32):
      mx.use %s {
      ^bb0(%q: i32):
        mx.copy_scales %s[%q] parts = [0, 1] along = 3
        mx.use %r {
        ^bb0(%outer: i32):
          mx.use %r {
          ^bb0(%inner: i32):
            // expected-error @+1 {{count expected 1 to 2, found 3}}
mx.wide_mma %r[%outer, %inner] scales %s[%q] into %d[%place] accumulate %true b_column %i first = 6 count = 3 kind = mxf4 m = 128 n = 128 scale = f8E8M0FNU
            mx.release %r[%outer]
          }
        }
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

llvm.func @two_stages(%map: !llvm.ptr, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 256 allocating_warp = 0
  %r = mx.ring "r" stages = 3 parts = [16384, 16384]
  %s = mx.ring "s" stages = 2 parts = [1536, 1536] alignment = 512 columns = 24
  %d = mx.ring "d" stages = 1 columns = 128
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
    mx.fill %s {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %s[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "mma" first = 1 warps = 1 {
    mx.fill %d {
    ^bb0(%place: i32):
      mx.use %s {
      ^bb0(%q: i32):
        mx.copy_scales %s[%q] parts = [0, 1] along = 3
        mx.use %r {
        ^bb0(%outer: i32):
          mx.use %r {
          ^bb0(%inner: i32):
            // expected-error @+1 {{expected instructions that begin in one stage, found 2 to 3}}
mx.wide_mma %r[%outer, %inner] scales %s[%q] into %d[%place] accumulate %true b_column %i first = 2 count = 2 kind = mxf4 m = 128 n = 128 scale = f8E8M0FNU
            mx.release %r[%outer]
          }
        }
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

llvm.func @two_stages_of_scales(%map: !llvm.ptr, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 256 allocating_warp = 0
  %r = mx.ring "r" stages = 3 parts = [16384, 16384]
  %s = mx.ring "s" stages = 2 parts = [1536, 1536] alignment = 512 columns = 24
  %d = mx.ring "d" stages = 1 columns = 128
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
    mx.fill %s {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %s[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "mma" first = 1 warps = 1 {
    mx.fill %d {
    ^bb0(%place: i32):
      mx.use %s {
      ^bb0(%q: i32):
        mx.copy_scales %s[%q] parts = [0, 1] along = 3
        mx.use %r {
        ^bb0(%outer: i32):
          mx.use %r {
          ^bb0(%inner: i32):
            // expected-error @+1 {{expected instructions with scales of one stage, 4, found 3 to 4}}
mx.wide_mma %r[%outer, %inner] scales %s[%q] into %d[%place] accumulate %true b_column %i first = 3 count = 2 kind = mxf4 m = 128 n = 128 scale = f8E8M0FNU
            mx.release %r[%outer]
          }
        }
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

llvm.func @columns_of_scales(%map: !llvm.ptr, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 256 allocating_warp = 0
  %r = mx.ring "r" stages = 3 parts = [16384, 16384]
  %s = mx.ring "s" stages = 2 parts = [1536] alignment = 512 columns = 23
  %d = mx.ring "d" stages = 1 columns = 128
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
    mx.fill %s {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %s[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "mma" first = 1 warps = 1 {
    mx.fill %d {
    ^bb0(%place: i32):
      mx.use %s {
      ^bb0(%q: i32):
        mx.copy_scales %s[%q] parts = [0] along = 3
        mx.use %r {
        ^bb0(%outer: i32):
          mx.use %r {
          ^bb0(%inner: i32):
            // expected-error @+1 {{expected 24 columns of scales, found 23}}
mx.wide_mma %r[%outer, %inner] scales %s[%q] into %d[%place] accumulate %true b_column %i first = 2 count = 1 kind = mxf4 m = 128 n = 128 scale = f8E8M0FNU
            mx.release %r[%outer]
          }
        }
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

llvm.func @along(%map: !llvm.ptr, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 256 allocating_warp = 0
  %r = mx.ring "r" stages = 3 parts = [16384, 16384]
  %s = mx.ring "s" stages = 2 parts = [1536, 1536] alignment = 512 columns = 24
  %d = mx.ring "d" stages = 1 columns = 128
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
    mx.fill %s {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %s[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "mma" first = 1 warps = 1 {
    mx.fill %d {
    ^bb0(%place: i32):
      mx.use %s {
      ^bb0(%q: i32):
        // expected-error @+1 {{along expected to divide the tiles of part 0, 3, found 2}}
mx.copy_scales %s[%q] parts = [0, 1] along = 2
        mx.use %r {
        ^bb0(%outer: i32):
          mx.use %r {
          ^bb0(%inner: i32):
            mx.wide_mma %r[%outer, %inner] scales %s[%q] into %d[%place] accumulate %true b_column %i first = 2 count = 1 kind = mxf4 m = 128 n = 128 scale = f8E8M0FNU
            mx.release %r[%outer]
          }
        }
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

llvm.func @rows(%map: !llvm.ptr, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 256 allocating_warp = 0
  %r = mx.ring "r" stages = 3 parts = [16384, 8192]
  %s = mx.ring "s" stages = 2 parts = [1536, 1536] alignment = 512 columns = 24
  %d = mx.ring "d" stages = 1 columns = 128
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
    mx.fill %s {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %s[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "mma" first = 1 warps = 1 {
    mx.fill %d {
    ^bb0(%place: i32):
      mx.use %s {
      ^bb0(%q: i32):
        mx.copy_scales %s[%q] parts = [0, 1] along = 3
        mx.use %r {
        ^bb0(%outer: i32):
          mx.use %r {
          ^bb0(%inner: i32):
            // expected-error @+1 {{expected at least 16384 bytes in part 1, found 8192}}
mx.wide_mma %r[%outer, %inner] scales %s[%q] into %d[%place] accumulate %true b_column %i first = 2 count = 1 kind = mxf4 m = 128 n = 128 scale = f8E8M0FNU
            mx.release %r[%outer]
          }
        }
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

llvm.func @kept(%map: !llvm.ptr, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 256 allocating_warp = 0
  %r = mx.ring "r" stages = 3 parts = [16384, 16384]
  %s = mx.ring "s" stages = 2 parts = [1536, 1536] alignment = 512 columns = 24
  %d = mx.ring "d" stages = 1 columns = 128
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
    mx.fill %s {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %s[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "mma" first = 1 warps = 1 {
    mx.fill %d {
    ^bb0(%place: i32):
      mx.use %s {
      ^bb0(%q: i32):
        mx.copy_scales %s[%q] parts = [0, 1] along = 3
        mx.use %r {
        ^bb0(%outer: i32):
          // expected-error @+1 {{expected no other step of its ring around it but a use by the tensor core that names its stage in an mx.release inside, found one}}
mx.use %r {
          ^bb0(%inner: i32):
            mx.wide_mma %r[%outer, %inner] scales %s[%q] into %d[%place] accumulate %true b_column %i first = 2 count = 1 kind = mxf4 m = 128 n = 128 scale = f8E8M0FNU
            mx.release %r[%inner]
          }
        }
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

llvm.func @released_otherwise(%map: !llvm.ptr, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 256 allocating_warp = 0
  %r = mx.ring "r" stages = 3 parts = [16384, 16384]
  %s = mx.ring "s" stages = 2 parts = [1536, 1536] alignment = 512 columns = 24
  %d = mx.ring "d" stages = 1 columns = 128
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
    mx.fill %s {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %s[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "mma" first = 1 warps = 1 {
    mx.fill %d {
    ^bb0(%place: i32):
      mx.use %s {
      ^bb0(%q: i32):
        mx.copy_scales %s[%q] parts = [0, 1] along = 3
        mx.use %r {
        ^bb0(%outer: i32):
          mx.use %r {
          ^bb0(%inner: i32):
            mx.wide_mma %r[%outer, %inner] scales %s[%q] into %d[%place] accumulate %true b_column %i first = 2 count = 1 kind = mxf4 m = 128 n = 128 scale = f8E8M0FNU
            // expected-error @+1 {{stage expected what an mx.use of the ring around it hands its body, found another value}}
mx.release %r[%q]
            mx.release %r[%outer]
          }
        }
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
