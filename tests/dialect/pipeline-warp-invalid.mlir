// RUN: mxc-opt %s -split-input-file -verify-diagnostics

llvm.func @kind(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [4096, 8192, 1024, 1024]
  mx.role "use" first = 0 warps = 2 {
    %z = mx.zero_accumulator : !mx.accumulator<64>
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected f4E2M1FN of kind mxf4, found 'f8E4M3FN'}}
      %a = mx.warp_mma %r[%stage] onto %z b_column %i kind = mxf4 a = f8E4M3FN b = f8E4M3FN scale = f8E8M0FNU selectors = [0, 2, 0, 2] scale_tiles = 2 : !mx.accumulator<64>
    }
  }
  mx.role "load" first = 2 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  llvm.return
}

// -----

llvm.func @scale(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [4096, 8192, 1024, 1024]
  mx.role "use" first = 0 warps = 2 {
    %z = mx.zero_accumulator : !mx.accumulator<64>
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{scale expected f8E4M3FN, found 'f8E8M0FNU'}}
      %a = mx.warp_mma %r[%stage] onto %z b_column %i kind = mxf4nvf4 a = f4E2M1FN b = f4E2M1FN scale = f8E8M0FNU selectors = [0, 0, 0, 0] scale_tiles = 4 : !mx.accumulator<64>
    }
  }
  mx.role "load" first = 2 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  llvm.return
}

// -----

llvm.func @rows(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [4096, 8192, 512, 512]
  mx.role "use" first = 0 warps = 2 {
    %z = mx.zero_accumulator : !mx.accumulator<64>
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{part 0}}
      %a:2 = mx.warp_mma %r[%stage] onto %z, %z b_column %i kind = mxf8f6f4 a = f8E4M3FN b = f8E4M3FN scale = f8E8M0FNU selectors = [0, 1, 2, 3] : !mx.accumulator<64>, !mx.accumulator<64>
    }
  }
  mx.role "load" first = 2 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  llvm.return
}

// -----

llvm.func @scales(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [4096, 8192, 512, 512]
  mx.role "use" first = 0 warps = 2 {
    %z = mx.zero_accumulator : !mx.accumulator<64>
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{part 2}}
      %a = mx.warp_mma %r[%stage] onto %z b_column %i kind = mxf4 a = f4E2M1FN b = f4E2M1FN scale = f8E8M0FNU selectors = [0, 2, 0, 2] scale_tiles = 2 : !mx.accumulator<64>
    }
  }
  mx.role "load" first = 2 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  llvm.return
}

// -----

llvm.func @columns(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [4096, 8192, 512, 512]
  mx.role "use" first = 0 warps = 2 {
    %z = mx.zero_accumulator : !mx.accumulator<48>
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected an accumulator of a multiple of 32 columns, found 48}}
      %a = mx.warp_mma %r[%stage] onto %z b_column %i kind = mxf8f6f4 a = f8E4M3FN b = f8E4M3FN scale = f8E8M0FNU selectors = [0, 1, 2, 3] : !mx.accumulator<48>
    }
  }
  mx.role "load" first = 2 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  llvm.return
}

// -----

llvm.func @outside(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [4096, 8192, 512, 512]
  mx.role "use" first = 0 warps = 2 {
    %z = mx.zero_accumulator : !mx.accumulator<64>
    // expected-error @+1 {{expected mx.use of the ring around it, found none}}
    %a = mx.warp_mma %r[%i] onto %z b_column %i kind = mxf8f6f4 a = f8E4M3FN b = f8E4M3FN scale = f8E8M0FNU selectors = [0, 1, 2, 3] : !mx.accumulator<64>
    mx.use %r {
    ^bb0(%stage: i32):
    }
  }
  mx.role "load" first = 2 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  llvm.return
}

// -----

llvm.func @warps(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [4096, 8192, 512, 512]
  mx.role "use" first = 0 warps = 3 {
    %z = mx.zero_accumulator : !mx.accumulator<64>
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected an even number of warps, found 3}}
      %a = mx.warp_mma %r[%stage] onto %z b_column %i kind = mxf8f6f4 a = f8E4M3FN b = f8E4M3FN scale = f8E8M0FNU selectors = [0, 1, 2, 3] : !mx.accumulator<64>
    }
  }
  mx.role "load" first = 3 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  llvm.return
}

// -----

llvm.func @types(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [8192, 8192, 512, 512]
  mx.role "use" first = 0 warps = 2 {
    %z = mx.zero_accumulator : !mx.accumulator<64>
    %y = mx.zero_accumulator : !mx.accumulator<32>
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected accumulators of one type}}
      %a:2 = mx.warp_mma %r[%stage] onto %z, %y b_column %i kind = mxf8f6f4 a = f8E4M3FN b = f8E4M3FN scale = f8E8M0FNU selectors = [0, 1, 2, 3] : !mx.accumulator<64>, !mx.accumulator<32>
    }
  }
  mx.role "load" first = 2 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  llvm.return
}
