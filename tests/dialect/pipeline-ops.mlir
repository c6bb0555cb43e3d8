// Every operation of pipelines is printed as it is read.
// RUN: mxc-opt %s | mxc-opt | FileCheck %s

// CHECK-LABEL: llvm.func @tensor_memory
llvm.func @tensor_memory(%map: !llvm.ptr, %n: i32, %zero: i32, %true: i1) {
  // CHECK: mx.pipeline warps = 7 tensor_columns = 256 allocating_warp = 4 pair
  mx.pipeline warps = 7 tensor_columns = 256 allocating_warp = 4 pair
  // CHECK: %[[OPERANDS:.*]] = mx.ring "operands" stages = 2 parts = [16384, 8192, 512, 512] columns = 8
  %operands = mx.ring "operands" stages = 2 parts = [16384, 8192, 512, 512] columns = 8
  // CHECK: %[[SUMS:.*]] = mx.ring "sums" stages = 2 columns = 128 overlap = 32
  %sums = mx.ring "sums" stages = 2 columns = 128 overlap = 32
  // CHECK: %[[ANSWERS:.*]] = mx.ring "answers" stages = 1 once parts = [16]
  %answers = mx.ring "answers" stages = 1 once parts = [16]
  // CHECK: %[[QUEUE:.*]] = mx.ring "queue" stages = 2 parts = [32]
  %queue = mx.ring "queue" stages = 2 parts = [32]
  // CHECK: mx.shared "staging" bytes = 32768 alignment = 1024 : <3>
  %staging = mx.shared "staging" bytes = 32768 alignment = 1024 : !llvm.ptr<3>
  // CHECK: mx.role "load" first = 5 warps = 1 {
  mx.role "load" first = 5 warps = 1 {
    // CHECK: mx.tiles %{{.*}} x %{{.*}} x %{{.*}} of %{{.*}} by %{{.*}} tile = 128 x 128 x 128 schedule = #mx.static_schedule<supergroup = 8, slices = 2> from %[[QUEUE]] {
    mx.tiles %n x %n x %n of %n by %n tile = 128 x 128 x 128 schedule = #mx.static_schedule<supergroup = 8, slices = 2> from %queue {
    ^bb0(%tile: !mx.tile):
      %group, %batch, %row, %column, %end, %scale_row, %k_begin, %k_end, %slice = mx.tile_fields %tile
      // CHECK: = mx.tile_fields %
      // CHECK: mx.cta_rank
      %rank = mx.cta_rank
      // CHECK: mx.fill %[[OPERANDS]] {
      mx.fill %operands {
      ^bb0(%stage: i32):
        // CHECK: mx.copy_box %{{.*}}[%{{.*}}, %{{.*}}] to %[[OPERANDS]][%{{.*}}] part = 0 bytes = 16384 : !llvm.ptr
        mx.copy_box %map[%zero, %row] to %operands[%stage] part = 0 bytes = 16384 : !llvm.ptr
        // CHECK: mx.copy_box {{.*}} part = 1 offset %{{.*}} bytes = 4096 multicast
        mx.copy_box %map[%zero, %row] to %operands[%stage] part = 1 offset %rank bytes = 4096 multicast : !llvm.ptr
      }
    }
  }
  // CHECK: mx.role "multiply" first = 4 warps = 1 leader {
  mx.role "multiply" first = 4 warps = 1 leader {
    mx.tiles %n x %n x %n of %n by %n tile = 128 x 128 x 128 schedule = #mx.static_schedule<supergroup = 8, slices = 2> from %queue {
    ^bb0(%tile: !mx.tile):
      %group, %batch, %row, %column, %end, %scale_row, %k_begin, %k_end, %slice = mx.tile_fields %tile
      mx.fill %sums {
      ^bb0(%place: i32):
        // CHECK: mx.use %[[OPERANDS]] {
        mx.use %operands {
        ^bb0(%stage: i32):
          // CHECK: mx.copy_scales %[[OPERANDS]][%{{.*}}] parts = [2, 3] pair
          mx.copy_scales %operands[%stage] parts = [2, 3] pair
          // CHECK: mx.block_mma %[[OPERANDS]][%{{.*}}] into %[[SUMS]][%{{.*}}] accumulate %{{.*}} b_column %{{.*}} kind = mxf8f6f4 m = 256 n = 128 k = 128 a = f8E4M3FN b = f8E5M2 scale = f8E8M0FNU scale_a = 0 scale_b = 4 selectors = [0, 1, 2, 3] pair
          mx.block_mma %operands[%stage] into %sums[%place] accumulate %true b_column %zero kind = mxf8f6f4 m = 256 n = 128 k = 128 a = f8E4M3FN b = f8E5M2 scale = f8E8M0FNU scale_a = 0 scale_b = 4 selectors = [0, 1, 2, 3] pair
        }
      }
    }
  }
  mx.role "store" first = 0 warps = 4 {
    mx.tiles %n x %n x %n of %n by %n tile = 128 x 128 x 128 schedule = #mx.static_schedule<supergroup = 8, slices = 2> from %queue {
    ^bb0(%tile: !mx.tile):
      %group, %batch, %row, %column, %end, %scale_row, %k_begin, %k_end, %slice = mx.tile_fields %tile
      mx.use %sums {
      ^bb0(%place: i32):
        // CHECK: mx.read_accumulator %[[SUMS]][%{{.*}}] column %{{.*}} : vector<32xf32>
        %values = mx.read_accumulator %sums[%place] column %zero : vector<32xf32>
        // CHECK: mx.release %[[SUMS]]
        mx.release %sums
      }
      %words = llvm.mlir.undef : vector<4xf32>
      // CHECK: mx.store_box %{{.*}} to %{{.*}}[%{{.*}}, %{{.*}}] through %{{.*}} box %{{.*}} buffers = 2 : vector<4xf32> to !llvm.ptr through !llvm.ptr<3>
      mx.store_box %words to %map[%column, %row] through %staging box %zero buffers = 2 : vector<4xf32> to !llvm.ptr through !llvm.ptr<3>
    }
    // CHECK: mx.drain_stores
    mx.drain_stores
  }
  // CHECK: mx.role "schedule" first = 6 warps = 1 leader {
  mx.role "schedule" first = 6 warps = 1 leader {
    // CHECK-NEXT: mx.hand_out %{{.*}} x %{{.*}} x %{{.*}} of %{{.*}} by %{{.*}} tile = 128 x 128 x 128 schedule = #mx.static_schedule<supergroup = 8, slices = 2> by clusters %[[ANSWERS]] to %[[QUEUE]]
    mx.hand_out %n x %n x %n of %n by %n tile = 128 x 128 x 128 schedule = #mx.static_schedule<supergroup = 8, slices = 2> by clusters %answers to %queue
  }
  llvm.return
}

// CHECK-LABEL: llvm.func @warps
llvm.func @warps(%map: !llvm.ptr, %n: i32) {
  mx.pipeline warps = 5 tensor_columns = 0 allocating_warp = 0
  %operands = mx.ring "operands" stages = 2 parts = [16384, 16384, 1024, 1024]
  mx.role "multiply" first = 0 warps = 4 {
    %zero = mx.zero_accumulator : !mx.accumulator<64>
    %sum:2 = mx.use %operands -> !mx.accumulator<64>, !mx.accumulator<64> {
    ^bb0(%stage: i32):
      // CHECK: mx.warp_mma %{{.*}}[%{{.*}}] onto %{{.*}}, %{{.*}} b_column %{{.*}} kind = mxf4 a = f4E2M1FN b = f4E2M1FN scale = f8E8M0FNU selectors = [0, 2, 0, 2] scale_tiles = 2 : !mx.accumulator<64>, !mx.accumulator<64>
      %one:2 = mx.warp_mma %operands[%stage] onto %zero, %zero b_column %n kind = mxf4 a = f4E2M1FN b = f4E2M1FN scale = f8E8M0FNU selectors = [0, 2, 0, 2] scale_tiles = 2 : !mx.accumulator<64>, !mx.accumulator<64>
      mx.next %one#0, %one#1 : !mx.accumulator<64>, !mx.accumulator<64>
    }
  }
  mx.role "load" first = 4 warps = 1 {
    mx.fill %operands {
    ^bb0(%stage: i32):
      mx.copy_box %map[%n, %n] to %operands[%stage] part = 0 bytes = 16384 : !llvm.ptr
    }
  }
  llvm.return
}

// CHECK-LABEL: llvm.func @groups_of_k
llvm.func @groups_of_k(%ends: !llvm.ptr<1>, %orders: !llvm.ptr<1>, %n: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  // CHECK: %[[ORDER:.*]] = mx.order_groups %{{.*}} by %{{.*}} of %{{.*}} slab = 128 to %{{.*}} : <1>, <1> -> <1>
  %order = mx.order_groups %n by %ends of %n slab = 128 to %orders : !llvm.ptr<1>, !llvm.ptr<1> -> !llvm.ptr<1>
  mx.role "work" first = 0 warps = 1 {
    // CHECK: schedule = #mx.k_group_schedule<supergroup = 4> groups %[[ORDER]] : !llvm.ptr<1> {
    mx.tiles %n x %n x %n of %n by %n tile = 128 x 128 x 128 schedule = #mx.k_group_schedule<supergroup = 4> groups %order : !llvm.ptr<1> {
    ^bb0(%tile: !mx.tile):
    }
  }
  llvm.return
}

// CHECK-LABEL: llvm.func @handed_out
llvm.func @handed_out(%ends: !llvm.ptr<1>, %counter: !llvm.ptr<1>, %n: i32) {
  mx.pipeline warps = 8 sharing
  %queue = mx.ring "queue" stages = 1 parts = [32]
  mx.role "work" first = 0 warps = 1 {
    // CHECK: schedule = #mx.group_schedule<supergroup = 4, align = 1> groups %[[ENDS:.*]] : !llvm.ptr<1> from %[[QUEUE:.*]] {
    mx.tiles %n x %n x %n of %n by %n tile = 128 x 128 x 128 schedule = #mx.group_schedule<supergroup = 4, align = 1> groups %ends : !llvm.ptr<1> from %queue {
    ^bb0(%tile: !mx.tile):
    }
  }
  // CHECK: mx.role "schedule" first = 1 warps = 1 leader {
  mx.role "schedule" first = 1 warps = 1 leader {
    // CHECK-NEXT: mx.hand_out %{{.*}} x %{{.*}} x %{{.*}} of %{{.*}} by %{{.*}} tile = 128 x 128 x 128 schedule = #mx.group_schedule<supergroup = 4, align = 1> groups %[[ENDS]] : !llvm.ptr<1> by %{{.*}} : <1> to %[[QUEUE]]
    mx.hand_out %n x %n x %n of %n by %n tile = 128 x 128 x 128 schedule = #mx.group_schedule<supergroup = 4, align = 1> groups %ends : !llvm.ptr<1> by %counter : !llvm.ptr<1> to %queue
  }
  llvm.return
}

// CHECK-LABEL: llvm.func @groups_taken_over
llvm.func @groups_taken_over(%ends: !llvm.ptr<1>, %n: i32) {
  mx.pipeline warps = 8 tensor_columns = 0 allocating_warp = 0
  %answers = mx.ring "answers" stages = 1 once parts = [16]
  %queue = mx.ring "queue" stages = 2 parts = [32]
  mx.role "work" first = 0 warps = 1 {
    // CHECK: schedule = #mx.group_schedule<supergroup = 4, align = 1> groups %{{.*}} : !llvm.ptr<1> from %{{.*}} {
    mx.tiles %n x %n x %n of %n by %n tile = 128 x 128 x 128 schedule = #mx.group_schedule<supergroup = 4, align = 1> groups %ends : !llvm.ptr<1> from %queue {
    ^bb0(%tile: !mx.tile):
    }
  }
  mx.role "schedule" first = 1 warps = 1 {
    // CHECK: mx.hand_out {{.*}} groups %{{.*}} : !llvm.ptr<1> by clusters %{{.*}} to %{{.*}}
    mx.hand_out %n x %n x %n of %n by %n tile = 128 x 128 x 128 schedule = #mx.group_schedule<supergroup = 4, align = 1> groups %ends : !llvm.ptr<1> by clusters %answers to %queue
  }
  llvm.return
}

// CHECK-LABEL: llvm.func @warpgroups
llvm.func @warpgroups(%map: !llvm.ptr, %count: !llvm.ptr<1>, %n: i32) {
  // CHECK: mx.pipeline warps = 12 splits = 2 registers = [216, 216, 72]
  mx.pipeline warps = 12 tensor_columns = 0 allocating_warp = 0 splits = 2 registers = [216, 216, 72]
  %bf16 = mx.ring "bf16" stages = 4 parts = [16384, 8192]
  %codes = mx.ring "codes" stages = 2 parts = [16384, 1024]
  mx.role "multiply" first = 0 warps = 8 {
    // CHECK: mx.zero_accumulator : <64>
    %zero = mx.zero_accumulator : !mx.accumulator<64>
    // CHECK: mx.use %{{.*}} -> vector<16xi32> {
    %fragments = mx.use %codes -> vector<16xi32> {
    ^bb0(%stage: i32):
      // CHECK: mx.load_fragments %{{.*}}[%{{.*}}] half = 1 first %{{.*}} blocks %{{.*}} f8E4M3FN : vector<16xi32>
      %words = mx.load_fragments %codes[%stage] half = 1 first %n blocks %n f8E4M3FN : vector<16xi32>
      // CHECK: mx.load_fragments %{{.*}}[%{{.*}}] half = 0 first %{{.*}} blocks %{{.*}} f4E2M1FN scale = f8E4M3FN : vector<16xi32>
      %four = mx.load_fragments %codes[%stage] half = 0 first %n blocks %n f4E2M1FN scale = f8E4M3FN : vector<16xi32>
      mx.next %words : vector<16xi32>
    }
    %sum = mx.use %bf16 -> !mx.accumulator<64> {
    ^bb0(%stage: i32):
      // CHECK: mx.warpgroup_mma %{{.*}}[%{{.*}}] onto %{{.*}} steps = 4 : <64>
      %one = mx.warpgroup_mma %bf16[%stage] onto %zero steps = 4 : !mx.accumulator<64>
      // CHECK: mx.fragment_mma %{{.*}}, %{{.*}}[%{{.*}}] part = 1 onto %{{.*}} : vector<16xi32>, <64>
      %two = mx.fragment_mma %fragments, %bf16[%stage] part = 1 onto %one : vector<16xi32>, !mx.accumulator<64>
      // CHECK: mx.next %{{.*}} : !mx.accumulator<64>
      mx.next %two : !mx.accumulator<64>
    }
    // CHECK: mx.finish %{{.*}}, %{{.*}} : <64>
    %all = mx.finish %bf16, %sum : !mx.accumulator<64>
    // CHECK: mx.finish %{{.*}}, %{{.*}} last : <64>
    %end = mx.finish %bf16, %all last : !mx.accumulator<64>
    // CHECK: mx.accumulator_columns %{{.*}}[32] : <64> -> vector<16xf32>
    %columns = mx.accumulator_columns %all[32] : !mx.accumulator<64> -> vector<16xf32>
    // CHECK: mx.role_thread
    %thread = mx.role_thread
    // CHECK: mx.role_barrier
    mx.role_barrier
  }
  // CHECK: mx.role "load" first = 8 warps = 1 early {
  mx.role "load" first = 8 warps = 1 early {
    // CHECK: mx.ticket %{{.*}} : <1>
    %ticket = mx.ticket %count : !llvm.ptr<1>
    // CHECK: mx.await %{{.*}}[%{{.*}}] of %{{.*}} complete = 4 : !llvm.ptr<1>
    mx.await %count[%ticket] of %n complete = 4 : !llvm.ptr<1>
    mx.fill %codes {
    ^bb0(%stage: i32):
      mx.copy_box %map[%n, %n] to %codes[%stage] part = 0 bytes = 16384 : !llvm.ptr
    }
  }
  mx.role "write" first = 9 warps = 3 {
    mx.fill %bf16 {
    ^bb0(%stage: i32):
      // CHECK: mx.stage_address %{{.*}}[%{{.*}}] part = 1 : <3>
      %at = mx.stage_address %bf16[%stage] part = 1 : !llvm.ptr<3>
    }
    // CHECK: mx.publish %{{.*}} : <1>
    mx.publish %count : !llvm.ptr<1>
    // CHECK: mx.last_of %{{.*}} count = 3 : <1>
    %last = mx.last_of %count count = 3 : !llvm.ptr<1>
    // CHECK: mx.leave %{{.*}} words %{{.*}} through %{{.*}} warps = 3 : <1>, <1>
    mx.leave %count words %n through %count warps = 3 : !llvm.ptr<1>, !llvm.ptr<1>
  }
  // CHECK: mx.cluster_barrier
  mx.cluster_barrier
  %sums = mx.shared "sums" bytes = 1024 alignment = 16 : !llvm.ptr<3>
  // CHECK: mx.cluster_load %{{.*}} of %{{.*}} : <3> -> vector<4xf32>
  %other = mx.cluster_load %sums of %n : !llvm.ptr<3> -> vector<4xf32>
  llvm.return
}

// CHECK-LABEL: llvm.func @sharing
llvm.func @sharing(%map: !llvm.ptr, %n: i32, %top: vector<2xf32>, %bottom: vector<2xf32>) {
  // CHECK: mx.pipeline warps = 4 sharing
  mx.pipeline warps = 4 tensor_columns = 0 allocating_warp = 0 sharing
  %staging = mx.shared "staging" bytes = 8192 alignment = 1024 : !llvm.ptr<3>
  mx.role "store" first = 0 warps = 4 {
    // CHECK: mx.store_box fragments %{{.*}}, %{{.*}} to %{{.*}}[%{{.*}}] through %{{.*}} box %{{.*}} buffers = 1 : vector<2xf32>, vector<2xf32> to !llvm.ptr through !llvm.ptr<3>
    mx.store_box fragments %top, %bottom to %map[%n] through %staging box %n buffers = 1 : vector<2xf32>, vector<2xf32> to !llvm.ptr through !llvm.ptr<3>
  }
  llvm.return
}

// A step of a kernel: all threads are there, also in a branch.
// CHECK-LABEL: llvm.func @within
llvm.func @within(%map: !llvm.ptr, %row: !llvm.ptr<1>, %n: i32, %there: i1) {
  scf.if %there {
    // CHECK: %[[MEMORY:.*]] = mx.shared_memory bytes = 32800 alignment = 128 : <3>
    %memory = mx.shared_memory bytes = 32800 alignment = 128 : !llvm.ptr<3>
    // CHECK: mx.pipeline within %[[MEMORY]] warps = 8 : !llvm.ptr<3>
    mx.pipeline within %memory warps = 8 : !llvm.ptr<3>
    // CHECK: %[[BOXES:.*]] = mx.ring "boxes" stages = 1 once parts = [16384, 4096] alignment = 128
    %boxes = mx.ring "boxes" stages = 1 once parts = [16384, 4096] alignment = 128
    // CHECK: %[[ROWS:.*]] = mx.ring "rows" stages = 1 once parts = [8192]{{$}}
    %rows = mx.ring "rows" stages = 1 once parts = [8192]
    // CHECK: mx.fill %[[BOXES]] {
    mx.fill %boxes {
    ^bb0(%stage: i32):
      mx.copy_box %map[%n, %n] to %boxes[%stage] part = 0 bytes = 16384 : !llvm.ptr
    }
    mx.role "rows" first = 0 warps = 4 {
      mx.fill %rows {
      ^bb0(%stage: i32):
        // CHECK: mx.copy_row %{{.*}} bytes %{{.*}} where %{{.*}} to %[[ROWS]][%{{.*}}] part = 0 row_bytes = 64 : <1>
        mx.copy_row %row bytes %n where %there to %rows[%stage] part = 0 row_bytes = 64 : !llvm.ptr<1>
      }
    }
    // CHECK: mx.use %[[BOXES]] {
    mx.use %boxes {
    ^bb0(%stage: i32):
      %at = mx.stage_address %boxes[%stage] part = 1 : !llvm.ptr<3>
    }
    mx.use %rows {
    ^bb0(%stage: i32):
    }
  }
  llvm.return
}
