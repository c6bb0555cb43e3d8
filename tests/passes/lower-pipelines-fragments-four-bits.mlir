// Codes of 4 bits as operands in registers: the eight bytes of two rows that the half of a slab has for a lane, with a scale of 16 codes
// each. No code and no scale is special, so nothing takes the general conversion.
// RUN: mxc-opt --mx-lower-pipelines=target=sm_90a --canonicalize --cse %s | FileCheck %s --implicit-check-not=mx.convert_unpack --implicit-check-not=mx.use

// CHECK-LABEL: llvm.func @four_bits
// CHECK: %[[FOUR:.*]] = arith.andi %{{.*}}, %c3_i32
// CHECK: %[[TWO:.*]] = arith.muli %[[FOUR]], %c2_i32
// CHECK-NEXT: %[[BLOCK:.*]] = arith.addi %[[TWO]], %c1_i32
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[BLOCK]], %arg2
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
// In ue4m3 1 is 0x38.
// CHECK: %[[CODE:.*]] = llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr<3> -> i8
// CHECK-NEXT: %[[WIDE:.*]] = arith.extui %[[CODE]]
// CHECK-NEXT: %[[SCALE:.*]] = arith.select %[[INSIDE]], %[[WIDE]], %c56_i32
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
// Its bits in a bf16's places times 2^120, and NaN; each pair of codes times 2^126, then times that.
// CHECK: %[[BITS:.*]] = arith.andi %[[SCALE]], %c127_i32
// CHECK: arith.mulf
// CHECK: arith.select %{{.*}}, %c2143322048_i32
// CHECK-COUNT-16: "llvm.nvvm.prmt"
// CHECK: wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16
llvm.func @four_bits(%map: !llvm.ptr, %g: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 288, 1, 1>} {
  mx.pipeline warps = 9 tensor_columns = 0 allocating_warp = 0
  %codes = mx.ring "codes" stages = 1 parts = [8192, 1024]
  %rows = mx.ring "rows" stages = 1 parts = [1024, 1024]
  mx.role "load" first = 8 warps = 1 {
    mx.fill %codes {
    ^bb0(%stage: i32):
      mx.copy_box %map[%n, %n] to %codes[%stage] part = 0 bytes = 8192 : !llvm.ptr
    }
    mx.fill %rows {
    ^bb0(%stage: i32):
      mx.copy_box %map[%n, %n] to %rows[%stage] part = 0 bytes = 1024 : !llvm.ptr
    }
  }
  mx.role "multiply" first = 0 warps = 8 {
    %zero = mx.zero_accumulator : !mx.accumulator<8>
    %fragments = mx.use %codes -> vector<16xi32> {
    ^bb0(%stage: i32):
      %words = mx.load_fragments %codes[%stage] half = 1 first %n blocks %n f4E2M1FN scale = f8E4M3FN : vector<16xi32>
      mx.next %words : vector<16xi32>
    }
    %sum = mx.use %rows -> !mx.accumulator<8> {
    ^bb0(%stage: i32):
      %product = mx.fragment_mma %fragments, %rows[%stage] part = 1 onto %zero : vector<16xi32>, !mx.accumulator<8>
      mx.next %product : !mx.accumulator<8>
    }
    %all = mx.finish %rows, %sum : !mx.accumulator<8>
    %values = mx.accumulator_columns %all[0] : !mx.accumulator<8> -> vector<4xf32>
    llvm.store %values, %g : vector<4xf32>, !llvm.ptr<1>
  }
  llvm.return
}
