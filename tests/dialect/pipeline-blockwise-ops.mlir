// Products at FP8's full rate and their promotion: syntax, round trip, and what is refused.
// RUN: mxc-opt %s -split-input-file -verify-diagnostics | mxc-opt | FileCheck %s

// CHECK-LABEL: @ops
llvm.func @ops(%map: !llvm.ptr, %i: i32, %scales: vector<32xf32>) {
  mx.pipeline warps = 12 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [32768, 8192]
  mx.role "multiply" first = 0 warps = 8 {
    %zero = mx.zero_accumulator : !mx.accumulator<64>
    %sums:2 = mx.use %r -> !mx.accumulator<64>, !mx.accumulator<64> {
    ^bb0(%stage: i32):
      // CHECK: %[[FIRST:.*]] = mx.full_rate_product %{{.*}}[%{{.*}}] half = 0 elements f8E4M3FN, f8E5M2 : <64>
      %first = mx.full_rate_product %r[%stage] half = 0 elements f8E4M3FN, f8E5M2 : !mx.accumulator<64>
      // CHECK: %[[READ:.*]] = mx.finish %{{.*}}, %[[FIRST]] last : <64>
      %read = mx.finish %r, %first last : !mx.accumulator<64>
      // CHECK: mx.promote %[[READ]] by %{{.*}} onto %{{.*}} : vector<32xf32>, <64>
      %x = mx.promote %read by %scales onto %zero : vector<32xf32>, !mx.accumulator<64>
      // CHECK: mx.full_rate_product %{{.*}}[%{{.*}}] half = 1 elements f8E4M3FN, f8E5M2 after %[[READ]] : !mx.accumulator<64> : <64>
      %second = mx.full_rate_product %r[%stage] half = 1 elements f8E4M3FN, f8E5M2 after %read : !mx.accumulator<64> : !mx.accumulator<64>
      %there = mx.finish %r, %second last : !mx.accumulator<64>
      // CHECK: mx.release %{{.*}} ahead
      mx.release %r ahead
      %y = mx.promote %there by %scales onto %zero : vector<32xf32>, !mx.accumulator<64>
      mx.next %x, %y : !mx.accumulator<64>, !mx.accumulator<64>
    }
  }
  mx.role "load" first = 8 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 32768 : !llvm.ptr
    }
  }
  llvm.return
}

// Two blocks of K of 16 rows of a, after which those of b lie.
// CHECK-LABEL: @blocks
llvm.func @blocks(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 5 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [4096, 8192]
  mx.role "multiply" first = 0 warps = 4 {
    mx.use %r {
    ^bb0(%stage: i32):
      // CHECK: %[[BOTH:.*]] = mx.full_rate_product %{{.*}}[%{{.*}}] half = 0 blocks = 2 elements f8E4M3FN, f8E4M3FN : <64>
      %both = mx.full_rate_product %r[%stage] half = 0 blocks = 2 elements f8E4M3FN, f8E4M3FN : !mx.accumulator<64>
      // CHECK: mx.accumulator_block %[[BOTH]][1] : <64> -> <32>
      %second = mx.accumulator_block %both[1] : !mx.accumulator<64> -> !mx.accumulator<32>
    }
  }
  mx.role "load" first = 4 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 4096 : !llvm.ptr
    }
  }
  llvm.return
}

// -----

llvm.func @rows(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 12 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [16384, 8192]
  mx.role "load" first = 8 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "multiply" first = 0 warps = 8 {
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected at least 32768 bytes in parts 0 and 1, found 24576}}
      %a = mx.full_rate_product %r[%stage] half = 1 elements f8E4M3FN, f8E4M3FN : !mx.accumulator<64>
    }
  }
  llvm.return
}

// -----

llvm.func @finish(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 12 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [16384, 8192]
  mx.role "load" first = 8 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "multiply" first = 0 warps = 8 {
    mx.use %r {
    ^bb0(%stage: i32):
      %a = mx.full_rate_product %r[%stage] half = 0 elements f8E4M3FN, f8E4M3FN : !mx.accumulator<64>
      // expected-error @+1 {{expected `last` after mx.full_rate_product, whose stage the use gives back}}
      %b = mx.finish %r, %a : !mx.accumulator<64>
    }
  }
  llvm.return
}

// -----

llvm.func @element(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 12 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [16384, 8192]
  mx.role "load" first = 8 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "multiply" first = 0 warps = 8 {
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected f8E4M3FN or f8E5M2, found 'bf16'}}
      %a = mx.full_rate_product %r[%stage] half = 0 elements bf16, f8E4M3FN : !mx.accumulator<64>
    }
  }
  llvm.return
}

// -----

llvm.func @scales(%scales: vector<16xf32>) {
  mx.pipeline warps = 12 tensor_columns = 0 allocating_warp = 0
  mx.role "multiply" first = 0 warps = 8 {
    %z = mx.zero_accumulator : !mx.accumulator<64>
    // expected-error @+1 {{expected 32 scales, found 'vector<16xf32>'}}
    %a = mx.promote %z by %scales onto %z : vector<16xf32>, !mx.accumulator<64>
  }
  llvm.return
}

// -----

llvm.func @blocks(%map: !llvm.ptr, %i: i32) {
  mx.pipeline warps = 5 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "r" stages = 2 parts = [4096, 4096]
  mx.role "load" first = 4 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%i] to %r[%stage] part = 0 bytes = 4096 : !llvm.ptr
    }
  }
  mx.role "multiply" first = 0 warps = 4 {
    mx.use %r {
    ^bb0(%stage: i32):
      // expected-error @+1 {{expected at least 10240 bytes in parts 0 and 1, found 8192}}
      %a = mx.full_rate_product %r[%stage] half = 0 blocks = 2 elements f8E4M3FN, f8E4M3FN : !mx.accumulator<32>
    }
  }
  llvm.return
}

// -----

llvm.func @block() {
  mx.pipeline warps = 4 tensor_columns = 0 allocating_warp = 0
  mx.role "multiply" first = 0 warps = 4 {
    %z = mx.zero_accumulator : !mx.accumulator<64>
    // expected-error @+1 {{block expected 0 to 1, found 2}}
    %a = mx.accumulator_block %z[2] : !mx.accumulator<64> -> !mx.accumulator<32>
  }
  llvm.return
}
