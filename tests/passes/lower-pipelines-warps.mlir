// mx.warp_mma: matrices by ldmatrix under the swizzle, scales as words that byte and thread ids pick, a stage given back by each warp.
// Elements of 4 and 6 bits beside others become bytes on their way, those of 4 in bits 2 to 5.
// RUN: mxc-opt --mx-lower-pipelines=target=sm_120a --canonicalize --cse %s | FileCheck %s --implicit-check-not=mx.use

// CHECK-LABEL: llvm.func @products
// A word of a's scales, two (64 columns) of b's.
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e5m2.f32.ue8m0 {{.*}}, $14, {0, 0}, $15, {0, 0};
// CHECK: scale_vec::1X{{.*}}, $14, {0, 0}, $15, {0, 1};
// CHECK: ldmatrix
// CHECK: scale_vec::1X{{.*}}, $14, {0, 0}, $15, {0, 2};
// CHECK: scale_vec::1X{{.*}}, $14, {0, 0}, $15, {0, 3};
// The second instruction along K lies 32 bytes on, within the swizzle.
// CHECK: arith.xori %{{.*}}, %c32_i32
// CHECK: scale_vec::1X{{.*}}, $14, {1, 0}, $15, {1, 0};
// CHECK: scale_vec::1X{{.*}}, $14, {3, 0}, $15, {3, 3};
// CHECK: nvvm.mbarrier.arrive %
llvm.func @products(%map: !llvm.ptr, %g: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 288, 1, 1>} {
  mx.pipeline warps = 9 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "operands" stages = 2 parts = [16384, 8192, 512, 512]
  mx.role "load" first = 8 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%n, %n] to %r[%stage] part = 0 bytes = 16384 : !llvm.ptr
    }
  }
  mx.role "multiply" first = 0 warps = 8 {
    %zero = mx.zero_accumulator : !mx.accumulator<64>
    %sum = mx.use %r -> !mx.accumulator<64> {
    ^bb0(%stage: i32):
      %one = mx.warp_mma %r[%stage] onto %zero b_column %n kind = mxf8f6f4 a = f8E4M3FN b = f8E5M2 scale = f8E8M0FNU selectors = [0, 1, 2, 3] : !mx.accumulator<64>
      mx.next %one : !mx.accumulator<64>
    }
    %values = mx.accumulator_columns %sum[0] : !mx.accumulator<64> -> vector<32xf32>
    llvm.store %values, %g : vector<32xf32>, !llvm.ptr<1>
  }
  llvm.return
}

// CHECK-LABEL: llvm.func @padded
// CHECK: ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b6x16_p32
// CHECK: ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b4x16_p64
// CHECK: arith.shli %{{.*}}, %c2_i32
// CHECK: kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e3m2.e2m1.f32.ue8m0
llvm.func @padded(%map: !llvm.ptr, %g: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 288, 1, 1>} {
  mx.pipeline warps = 9 tensor_columns = 0 allocating_warp = 0
  %r = mx.ring "operands" stages = 2 parts = [16384, 8192, 512, 512]
  mx.role "load" first = 8 warps = 1 {
    mx.fill %r {
    ^bb0(%stage: i32):
      mx.copy_box %map[%n, %n] to %r[%stage] part = 0 bytes = 12288 : !llvm.ptr
    }
  }
  mx.role "multiply" first = 0 warps = 8 {
    %zero = mx.zero_accumulator : !mx.accumulator<64>
    %sum = mx.use %r -> !mx.accumulator<64> {
    ^bb0(%stage: i32):
      %one = mx.warp_mma %r[%stage] onto %zero b_column %n kind = mxf8f6f4 a = f6E3M2FN b = f4E2M1FN scale = f8E8M0FNU selectors = [0, 1, 2, 3] : !mx.accumulator<64>
      mx.next %one : !mx.accumulator<64>
    }
    %values = mx.accumulator_columns %sum[0] : !mx.accumulator<64> -> vector<32xf32>
    llvm.store %values, %g : vector<32xf32>, !llvm.ptr<1>
  }
  llvm.return
}
