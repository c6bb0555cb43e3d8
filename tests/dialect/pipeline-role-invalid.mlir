// RUN: mxc-opt %s -split-input-file -verify-diagnostics

llvm.func @no_pipeline(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  // expected-error @+1 {{expected mx.pipeline before it}}
  mx.role "r" first = 0 warps = 1 {
  }
  llvm.return
}

// -----

llvm.func @twice(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "load" first = 0 warps = 1 {
  }
  // expected-error @+1 {{expected a name of its own, found another role "load"}}
  mx.role "load" first = 1 warps = 1 {
  }
  llvm.return
}

// -----

llvm.func @overlap(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "load" first = 0 warps = 4 {
  }
  // expected-error @+1 {{expected warps that no other role has, found those of "load"}}
  mx.role "use" first = 3 warps = 2 {
  }
  llvm.return
}

// -----

llvm.func @beyond(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  // expected-error @+1 {{expected warps of the pipeline's 8, found 2 from 7 on}}
  mx.role "load" first = 7 warps = 2 {
  }
  llvm.return
}

// -----

llvm.func @leader(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  // expected-error @+1 {{leader expected a pair, or CTAs that share, found none}}
  mx.role "load" first = 0 warps = 1 leader {
  }
  llvm.return
}

// -----

llvm.func @registers(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0 registers = [24, 240]
  // expected-error @+1 {{expected warpgroups with one number of registers, found several}}
  mx.role "load" first = 0 warps = 8 {
  }
  llvm.return
}

// -----

llvm.func @body(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  // expected-error @+1 {{expected a body with 0 arguments of type i32}}
  mx.role "r" first = 0 warps = 1 {
  ^bb0(%stage: i32):
  }
  llvm.return
}

// -----

llvm.func @hands_on(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  // expected-error @+1 {{expected mx.next to hand on ()}}
  mx.role "r" first = 0 warps = 1 {
    mx.next %i : i32
  }
  llvm.return
}

// -----

llvm.func @tiles_outside(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  // expected-error @+1 {{expected mx.role around it, found none}}
  mx.tiles %i x %i x %i of %i by %i tile = 128 x 128 x 128 schedule = #mx.static_schedule<supergroup = 8, slices = 1> {
  ^bb0(%tile: !mx.tile):
  }
  mx.role "r" first = 0 warps = 1 {
  }
  llvm.return
}

// -----

llvm.func @supergroup(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "r" first = 0 warps = 1 {
    // expected-error @+1 {{supergroup expected at least 1, found 0}}
    mx.tiles %i x %i x %i of %i by %i tile = 128 x 128 x 128 schedule = #mx.static_schedule<supergroup = 0, slices = 1> {
    ^bb0(%tile: !mx.tile):
    }
  }
  llvm.return
}

// -----

llvm.func @slices(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "r" first = 0 warps = 1 {
    // expected-error @+1 {{slices expected at least 1, found 0}}
    mx.tiles %i x %i x %i of %i by %i tile = 128 x 128 x 128 schedule = #mx.static_schedule<supergroup = 1, slices = 0> {
    ^bb0(%tile: !mx.tile):
    }
  }
  llvm.return
}

// -----

llvm.func @record(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "r" first = 0 warps = 1 {
    // expected-error @+1 {{expected a body with the record of a tile, !mx.tile, found}}
    mx.tiles %i x %i x %i of %i by %i tile = 128 x 128 x 128 schedule = #mx.static_schedule<supergroup = 1, slices = 1> {
    ^bb0(%b: i32):
    }
  }
  llvm.return
}

// -----

llvm.func @tiles_queue(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [1024]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "r" first = 1 warps = 1 {
    // expected-error @+1 {{expected a ring that mx.hand_out fills, found another}}
    mx.tiles %i x %i x %i of %i by %i tile = 128 x 128 x 128 schedule = #mx.static_schedule<supergroup = 1, slices = 1> from %r {
    ^bb0(%tile: !mx.tile):
    }
  }
  llvm.return
}

// -----

llvm.func @hand_out_filled(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [1024]
  mx.role "load" first = 0 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "r" first = 1 warps = 1 {
    // expected-error @+1 {{expected to fill its rings alone, found another role that does}}
    mx.hand_out %i x %i x %i of %i by %i tile = 128 x 128 x 128 schedule = #mx.static_schedule<supergroup = 8, slices = 1> by %g : !llvm.ptr<1> to %r
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

llvm.func @hand_out_alone(%g: !llvm.ptr<1>, %i: i32) {
  mx.pipeline warps = 8
  %r = mx.ring "r" stages = 2 parts = [32]
  mx.role "a" first = 0 warps = 1 {
    // expected-error @+1 {{expected to fill its rings alone, found another role that does}}
    mx.hand_out %i x %i x %i of %i by %i tile = 128 x 128 x 128 schedule = #mx.static_schedule<supergroup = 8, slices = 1> by %g : !llvm.ptr<1> to %r
  }
  mx.role "b" first = 1 warps = 1 {
    mx.hand_out %i x %i x %i of %i by %i tile = 128 x 128 x 128 schedule = #mx.static_schedule<supergroup = 8, slices = 1> by %g : !llvm.ptr<1> to %r
  }
  mx.role "use" first = 4 warps = 1 {
    mx.use %r {
    ^bb0(%stage: i32):
    }
  }
  llvm.return
}

// -----

llvm.func @hand_out_room(%g: !llvm.ptr<1>, %i: i32) {
  mx.pipeline warps = 8
  %r = mx.ring "r" stages = 2 parts = [16]
  mx.role "a" first = 0 warps = 1 {
    // expected-error @+1 {{expected at least 32 bytes in part 0, found 16}}
    mx.hand_out %i x %i x %i of %i by %i tile = 128 x 128 x 128 schedule = #mx.static_schedule<supergroup = 8, slices = 1> by %g : !llvm.ptr<1> to %r
  }
  mx.role "use" first = 4 warps = 1 {
    mx.use %r {
    ^bb0(%stage: i32):
    }
  }
  llvm.return
}

// -----

llvm.func @answers_more_than_once(%i: i32) {
  mx.pipeline warps = 8
  %answers = mx.ring "answers" stages = 1 parts = [16]
  %r = mx.ring "r" stages = 2 parts = [32]
  mx.role "a" first = 0 warps = 1 {
    // expected-error @+1 {{expected a ring of answers that is filled once}}
    mx.hand_out %i x %i x %i of %i by %i tile = 128 x 128 x 128 schedule = #mx.static_schedule<supergroup = 8, slices = 1> by clusters %answers to %r
  }
  mx.role "use" first = 4 warps = 1 {
    mx.use %r {
    ^bb0(%stage: i32):
    }
  }
  llvm.return
}

// -----

llvm.func @answers_shared(%i: i32) {
  mx.pipeline warps = 8
  %answers = mx.ring "answers" stages = 1 once parts = [16]
  %r = mx.ring "r" stages = 2 parts = [32]
  %s = mx.ring "s" stages = 2 parts = [32]
  mx.role "a" first = 0 warps = 1 {
    // expected-error @+1 {{expected to fill its rings alone, found another role that does}}
    mx.hand_out %i x %i x %i of %i by %i tile = 128 x 128 x 128 schedule = #mx.static_schedule<supergroup = 8, slices = 1> by clusters %answers to %r
  }
  mx.role "b" first = 1 warps = 1 {
    mx.hand_out %i x %i x %i of %i by %i tile = 128 x 128 x 128 schedule = #mx.static_schedule<supergroup = 8, slices = 1> by clusters %answers to %s
  }
  mx.role "use" first = 4 warps = 1 {
    mx.use %r {
    ^bb0(%stage: i32):
    }
    mx.use %s {
    ^bb0(%stage: i32):
    }
  }
  llvm.return
}

// -----

llvm.func @hand_out_ends(%g: !llvm.ptr<1>, %i: i32) {
  mx.pipeline warps = 8
  %r = mx.ring "r" stages = 2 parts = [32]
  mx.role "a" first = 0 warps = 1 {
    // expected-error @+1 {{expected the ends of groups with the schedule #mx.group_schedule}}
    mx.hand_out %i x %i x %i of %i by %i tile = 128 x 128 x 128 schedule = #mx.group_schedule<supergroup = 8, align = 128> by %g : !llvm.ptr<1> to %r
  }
  mx.role "use" first = 4 warps = 1 {
    mx.use %r {
    ^bb0(%stage: i32):
    }
  }
  llvm.return
}

// -----

llvm.func @handed_out(%g: !llvm.ptr<1>, %i: i32) {
  mx.pipeline warps = 8
  %r = mx.ring "r" stages = 2 parts = [32]
  mx.role "a" first = 0 warps = 1 {
    mx.hand_out %i x %i x %i of %i by %i tile = 128 x 128 x 128 schedule = #mx.static_schedule<supergroup = 8, slices = 1> by %g : !llvm.ptr<1> to %r
  }
  mx.role "b" first = 1 warps = 1 {
    // expected-error @+1 {{expected the schedule of mx.hand_out, #mx.static_schedule<supergroup = 8, slices = 1>, found #mx.static_schedule<supergroup = 4, slices = 1>}}
    mx.tiles %i x %i x %i of %i by %i tile = 128 x 128 x 128 schedule = #mx.static_schedule<supergroup = 4, slices = 1> from %r {
    ^bb0(%tile: !mx.tile):
    }
  }
  llvm.return
}

// -----

llvm.func @role_thread(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  // expected-error @+1 {{expected mx.role around it, found none}}
  %x = mx.role_thread
  mx.role "r" first = 0 warps = 1 {
  }
  llvm.return
}

// -----

llvm.func @role_barrier(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "r" first = 2 warps = 1 {
    // expected-error @+1 {{expected a role that begins with a warpgroup, found one that begins with warp 2}}
    mx.role_barrier
  }
  llvm.return
}

// -----

llvm.func @cta_rank(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  // expected-error @+1 {{expected mx.pipeline before it}}
  %x = mx.cta_rank
  llvm.return
}

// -----

llvm.func @deeper(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "outer" first = 0 warps = 4 {
    // expected-error @+1 {{expected to stand beside mx.pipeline, found it deeper}}
    mx.role "inner" first = 4 warps = 1 {
    }
  }
  llvm.return
}

// -----

llvm.func @tile_extents(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "r" first = 0 warps = 1 {
    // expected-error @+1 {{tile expected extents of at least 1, found 0}}
    mx.tiles %i x %i x %i of %i by %i tile = 128 x 0 x 128 schedule = #mx.static_schedule<supergroup = 1, slices = 1> {
    ^bb0(%tile: !mx.tile):
    }
  }
  llvm.return
}

// -----

llvm.func @ends(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "r" first = 0 warps = 1 {
    // expected-error @+1 {{expected the ends of groups with the schedule #mx.group_schedule<supergroup = 8, align = 128>}}
    mx.tiles %i x %i x %i of %i by %i tile = 128 x 128 x 128 schedule = #mx.group_schedule<supergroup = 8, align = 128> {
    ^bb0(%tile: !mx.tile):
    }
  }
  llvm.return
}

// -----

llvm.func @ends_of_handed_out(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %answers = mx.ring "answers" stages = 1 once parts = [16]
  %queue = mx.ring "queue" stages = 2 parts = [32]
  mx.role "schedule" first = 1 warps = 1 {
    mx.hand_out %i x %i x %i of %i by %i tile = 128 x 128 x 128 schedule = #mx.group_schedule<supergroup = 8, align = 128> groups %g : !llvm.ptr<1> by clusters %answers to %queue
  }
  mx.role "r" first = 0 warps = 1 {
    // expected-error @+1 {{expected the ends of groups with the schedule #mx.group_schedule<supergroup = 8, align = 128>}}
    mx.tiles %i x %i x %i of %i by %i tile = 128 x 128 x 128 schedule = #mx.group_schedule<supergroup = 8, align = 128> from %queue {
    ^bb0(%tile: !mx.tile):
    }
  }
  llvm.return
}

// -----

llvm.func @align(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "r" first = 0 warps = 1 {
    // expected-error @+1 {{align expected 1 or 128, found 2}}
    mx.tiles %i x %i x %i of %i by %i tile = 128 x 128 x 128 schedule = #mx.group_schedule<supergroup = 8, align = 2> groups %g : !llvm.ptr<1> {
    ^bb0(%tile: !mx.tile):
    }
  }
  llvm.return
}

// -----

llvm.func @order(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "r" first = 0 warps = 1 {
    // expected-error @+1 {{expected groups of mx.order_groups with the schedule #mx.k_group_schedule<supergroup = 8>}}
    mx.tiles %i x %i x %i of %i by %i tile = 128 x 128 x 128 schedule = #mx.k_group_schedule<supergroup = 8> groups %g : !llvm.ptr<1> {
    ^bb0(%tile: !mx.tile):
    }
  }
  llvm.return
}

// -----

llvm.func @order_in_role(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  mx.role "r" first = 0 warps = 1 {
    // expected-error @+1 {{expected no role around it}}
    %order = mx.order_groups %i by %g of %i slab = 128 to %g : !llvm.ptr<1>, !llvm.ptr<1> -> !llvm.ptr<1>
  }
  llvm.return
}

// -----

llvm.func @slab(%map: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %true: i1) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  // expected-error @+1 {{slab expected a power of two, found 96}}
  %order = mx.order_groups %i by %g of %i slab = 96 to %g : !llvm.ptr<1>, !llvm.ptr<1> -> !llvm.ptr<1>
  mx.role "r" first = 0 warps = 1 {
  }
  llvm.return
}
