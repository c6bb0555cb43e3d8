// mx.warp_mma: matrices by ldmatrix under the swizzle, scales as words that byte and thread ids pick, a stage given back by each warp.
// Elements of 4 and 6 bits beside others become bytes on their way, those of 4 in bits 2 to 5.
// RUN: mxc-opt --mx-lower-pipelines=target=sm_120a --canonicalize --cse %s | FileCheck %s --implicit-check-not=mx.use

// CHECK-LABEL: llvm.func @products
// Where a stage lies, modulo the size of shared memory. Words of a's scales, one for every 32 rows; of b's for the columns 0 to 15 and
// for 16 to 31 of every 32.
// CHECK: arith.andi %{{.*}}, %c262143_i32
// CHECK-COUNT-3: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
// Both accumulators' rows of a, and 16 of b's for each two columns of instructions.
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: arith.addi %{{.*}}, %c4096_i32
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-COUNT-2: m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e5m2.f32.ue8m0 {{.*}}, $14, {0, 0}, $15, {0, 0};
// CHECK-COUNT-2: scale_vec::1X{{.*}}, $14, {0, 0}, $15, {0, 1};
// CHECK: ldmatrix
// CHECK-COUNT-2: scale_vec::1X{{.*}}, $14, {0, 0}, $15, {0, 0};
// CHECK-COUNT-2: scale_vec::1X{{.*}}, $14, {0, 0}, $15, {0, 1};
// The second instruction along K lies 32 bytes on, within the swizzle.
// CHECK: arith.xori %{{.*}}, %c32_i32
// CHECK: scale_vec::1X{{.*}}, $14, {1, 0}, $15, {1, 0};
// CHECK: scale_vec::1X{{.*}}, $14, {3, 0}, $15, {3, 1};
// CHECK: nvvm.mbarrier.arrive %
llvm.func @products(%map: !llvm.ptr, %g: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 160, 1, 1>} {
  mx.pipeline warps = 5 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "operands" stages = 2 parts = [8192, 16384, 512, 512]
  mx.role "load" first = 4 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%n, %n] to %r[%stage] part = 0 bytes = 8192 : !llvm.ptr
    }
  }
  mx.role "multiply" first = 0 warps = 4 {
    %zero = mx.zero_accumulator : !mx.accumulator<64>
    %sum:2 = mx.use %r -> !mx.accumulator<64>, !mx.accumulator<64> {
    ^bb0(%stage: i32):
      %one:2 = mx.warp_mma %r[%stage] onto %zero, %zero b_column %n kind = mxf8f6f4 a = f8E4M3FN b = f8E5M2 scale = f8E8M0FNU selectors = [0, 1, 2, 3] : !mx.accumulator<64>, !mx.accumulator<64>
      mx.next %one#0, %one#1 : !mx.accumulator<64>, !mx.accumulator<64>
    }
    %values = mx.accumulator_columns %sum#0[0] : !mx.accumulator<64> -> vector<32xf32>
    %others = mx.accumulator_columns %sum#1[0] : !mx.accumulator<64> -> vector<32xf32>
    llvm.store %values, %g : vector<32xf32>, !llvm.ptr<1>
    llvm.store %others, %g : vector<32xf32>, !llvm.ptr<1>
  }
  llvm.return
}

// CHECK-LABEL: llvm.func @padded
// CHECK: ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b6x16_p32
// CHECK: ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b4x16_p64
// CHECK: arith.shli %{{.*}}, %c2_i32
// CHECK: kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e3m2.e2m1.f32.ue8m0
llvm.func @padded(%map: !llvm.ptr, %g: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 160, 1, 1>} {
  mx.pipeline warps = 5 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "operands" stages = 2 parts = [8192, 16384, 512, 512]
  mx.role "load" first = 4 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%n, %n] to %r[%stage] part = 0 bytes = 6144 : !llvm.ptr
    }
  }
  mx.role "multiply" first = 0 warps = 4 {
    %zero = mx.zero_accumulator : !mx.accumulator<64>
    %sum:2 = mx.use %r -> !mx.accumulator<64>, !mx.accumulator<64> {
    ^bb0(%stage: i32):
      %one:2 = mx.warp_mma %r[%stage] onto %zero, %zero b_column %n kind = mxf8f6f4 a = f6E3M2FN b = f4E2M1FN scale = f8E8M0FNU selectors = [0, 1, 2, 3] : !mx.accumulator<64>, !mx.accumulator<64>
      mx.next %one#0, %one#1 : !mx.accumulator<64>, !mx.accumulator<64>
    }
    %values = mx.accumulator_columns %sum#1[0] : !mx.accumulator<64> -> vector<32xf32>
    llvm.store %values, %g : vector<32xf32>, !llvm.ptr<1>
  }
  llvm.return
}

// Half of the lanes have one each of two tiles along K, which thread ids choose.
// CHECK-LABEL: llvm.func @narrow
// CHECK: llvm.load {{.*}} -> vector<4xi32>
// CHECK-COUNT-2: llvm.load {{.*}} -> vector<2xi32>
// CHECK-NOT: llvm.load {{.*}}xi32>
// CHECK: kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 {{.*}}, $14, {0, 0}, $15, {0, 0};
// CHECK: scale_vec::2X{{.*}}, $14, {2, 0}, $15, {2, 0};
// CHECK-NOT: llvm.load {{.*}}xi32>
// CHECK: scale_vec::2X{{.*}}, $14, {0, 1}, $15, {0, 2};
// CHECK: scale_vec::2X{{.*}}, $14, {2, 1}, $15, {2, 3};
llvm.func @narrow(%map: !llvm.ptr, %g: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 160, 1, 1>} {
  mx.pipeline warps = 5 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "operands" stages = 2 parts = [16384, 16384, 1024, 1024]
  mx.role "load" first = 4 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%n, %n] to %r[%stage] part = 0 bytes = 16384 : !llvm.ptr
    }
  }
  mx.role "multiply" first = 0 warps = 4 {
    %zero = mx.zero_accumulator : !mx.accumulator<64>
    %sum:4 = mx.use %r -> !mx.accumulator<64>, !mx.accumulator<64>, !mx.accumulator<64>, !mx.accumulator<64> {
    ^bb0(%stage: i32):
      %one:4 = mx.warp_mma %r[%stage] onto %zero, %zero, %zero, %zero b_column %n kind = mxf4 a = f4E2M1FN b = f4E2M1FN scale = f8E8M0FNU selectors = [0, 2, 0, 2] scale_tiles = 2 : !mx.accumulator<64>, !mx.accumulator<64>, !mx.accumulator<64>, !mx.accumulator<64>
      mx.next %one#0, %one#1, %one#2, %one#3 : !mx.accumulator<64>, !mx.accumulator<64>, !mx.accumulator<64>, !mx.accumulator<64>
    }
    %values = mx.accumulator_columns %sum#3[0] : !mx.accumulator<64> -> vector<32xf32>
    llvm.store %values, %g : vector<32xf32>, !llvm.ptr<1>
  }
  llvm.return
}
