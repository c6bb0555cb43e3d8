// RUN: mxc-opt %s -split-input-file -verify-diagnostics

llvm.func @type(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "r" first = 0 warps = 4 {
    // expected-error @+1 {{expected an accumulator of a multiple of 8 columns up to 256, found 12}}
    %z = mx.zero_accumulator : !mx.accumulator<12>
  }
  llvm.return
}

// -----

llvm.func @warps(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [8192, 8192]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "use" first = 2 warps = 2 {
    %z = mx.zero_accumulator : !mx.accumulator<64>
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected a role of whole warpgroups, found warps 2 to 3}}
      %a = mx.warpgroup_mma %r[%stage] onto %z steps = 4 : !mx.accumulator<64>
    }
  }
  llvm.return
}

// -----

llvm.func @steps(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [8192, 8192]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "use" first = 4 warps = 4 {
    %z = mx.zero_accumulator : !mx.accumulator<64>
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{steps expected 1 to 4, found 5}}
      %a = mx.warpgroup_mma %r[%stage] onto %z steps = 5 : !mx.accumulator<64>
    }
  }
  llvm.return
}

// -----

llvm.func @a(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [1024, 8192]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "use" first = 4 warps = 4 {
    %z = mx.zero_accumulator : !mx.accumulator<64>
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected at least 8192 bytes in part 0, found 1024}}
      %a = mx.warpgroup_mma %r[%stage] onto %z steps = 4 : !mx.accumulator<64>
    }
  }
  llvm.return
}

// -----

llvm.func @b(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [8192, 1024]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "use" first = 4 warps = 4 {
    %z = mx.zero_accumulator : !mx.accumulator<64>
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected at least 8192 bytes in part 1, found 1024}}
      %a = mx.warpgroup_mma %r[%stage] onto %z steps = 4 : !mx.accumulator<64>
    }
  }
  llvm.return
}

// -----

llvm.func @fragments(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [8192, 8192]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "use" first = 4 warps = 4 {
    %z = mx.zero_accumulator : !mx.accumulator<64>
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected f8E4M3FN, f8E5M2 or f4E2M1FN, found}}
      %f = mx.load_fragments %r[%stage] half = 0 first %i blocks %i f32 : vector<16xi32>
    }
  }
  llvm.return
}

// -----

llvm.func @fragment_mma(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [8192, 8192]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "use" first = 4 warps = 4 {
    %z = mx.zero_accumulator : !mx.accumulator<64>
    %w = llvm.mlir.undef : vector<16xi32>
    // expected-error @+1 {{expected mx.use of the ring around it, found none}}
    %a = mx.fragment_mma %w, %r[%i] part = 0 onto %z : vector<16xi32>, !mx.accumulator<64>
    mx.use %r {
    ^bb0(%stage: i32):
      %at = mx.stage_address %r[%stage] part = 0 : !llvm.ptr<3>
    }
  }
  llvm.return
}

// -----

llvm.func @columns(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "r" first = 0 warps = 4 {
    %z = mx.zero_accumulator : !mx.accumulator<64>
    // expected-error @+1 {{expected a multiple of 4 values, at most 16 of 64 columns from 32 on, found 32}}
    %v = mx.accumulator_columns %z[32] : !mx.accumulator<64> -> vector<32xf32>
  }
  llvm.return
}

// -----

llvm.func @finish(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [8192, 8192]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "use" first = 4 warps = 4 {
    %z = mx.zero_accumulator : !mx.accumulator<64>
    mx.use %r {
    ^bb0(%stage: i32):
      %at = mx.stage_address %r[%stage] part = 0 : !llvm.ptr<3>
    }
    // expected-error @+1 {{expected a warpgroup's product from the ring in its role, found none}}
    %a = mx.finish %r, %z : !mx.accumulator<64>
  }
  llvm.return
}

// -----

llvm.func @first_column(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "r" first = 0 warps = 4 {
    %z = mx.zero_accumulator : !mx.accumulator<64>
    // expected-error @+1 {{expected columns from a multiple of 8 on, found 4}}
    %x = mx.accumulator_columns %z[4] : !mx.accumulator<64> -> vector<4xf32>
  }
  llvm.return
}

// -----

llvm.func @codes(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 1 parts = [4096, 512]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "use" first = 4 warps = 4 {
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected at least 8192 bytes in part 0, found 4096}}
      %f = mx.load_fragments %r[%stage] half = 0 first %i blocks %i f8E4M3FN : vector<16xi32>
    }
  }
  llvm.return
}

// -----

llvm.func @codes_of_four_bits(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 1 parts = [2048, 512]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "use" first = 4 warps = 4 {
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected at least 4096 bytes in part 0, found 2048}}
      %f = mx.load_fragments %r[%stage] half = 0 first %i blocks %i f4E2M1FN : vector<16xi32>
    }
  }
  llvm.return
}

// -----

llvm.func @two_scale_tiles(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 1 parts = [4096, 512]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "use" first = 4 warps = 4 {
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected at least 1024 bytes in part 1, found 512}}
      %f = mx.load_fragments %r[%stage] half = 0 first %i blocks %i f4E2M1FN scale = f8E4M3FN : vector<16xi32>
    }
  }
  llvm.return
}

// -----

llvm.func @scale_of_fragments(%map: !llvm.ptr, %i: i32) {
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
      // expected-error @+1 {{expected scales of f8E8M0FNU, or of f8E4M3FN for f4E2M1FN, found}}
      %f = mx.load_fragments %r[%stage] half = 0 first %i blocks %i f8E4M3FN scale = f8E4M3FN : vector<16xi32>
    }
  }
  llvm.return
}

// -----

llvm.func @half(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 1 parts = [8192, 512]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "use" first = 4 warps = 4 {
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{half expected 0 to 1, found 2}}
      %f = mx.load_fragments %r[%stage] half = 2 first %i blocks %i f8E4M3FN : vector<16xi32>
    }
  }
  llvm.return
}

// -----

llvm.func @half_of_b(%map: !llvm.ptr, %i: i32, %f: vector<16xi32>) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 1 parts = [8192, 1024]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "use" first = 4 warps = 4 {
    %z = mx.zero_accumulator : !mx.accumulator<64>
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected at least 8192 bytes in part 1, found 1024}}
      %a = mx.fragment_mma %f, %r[%stage] part = 1 onto %z : vector<16xi32>, !mx.accumulator<64>
    }
  }
  llvm.return
}
