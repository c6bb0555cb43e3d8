// Both axes from one tile in shared memory: the column copy's codes wait there, the row copy goes from registers to memory.
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a --canonicalize --cse %s | FileCheck %s

// CHECK: module attributes {mx.abi = "
// CHECK-SAME: \22name\22:\22q\22,\22role\22:\22codes\22{{.*}}\22name\22:\22qt\22,\22role\22:\22column_codes\22{{.*}}\22name\22:\22st\22,\22of\22:\22qt\22
// CHECK-SAME: \22when\22:\22M % 16 == 0 && K % 16 == 0 && M <= 2147418112 && K <= 2147418112\22
// CHECK-LABEL: llvm.func @both(
mx.kernel @both(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>,
                %qt: memref<?x?xf8E4M3FN>, %st: memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) {
  // CHECK: mx.use
  // CHECK: mx.column_amax
  // CHECK: mx.convert_columns
  // CHECK: nvvm.barrier
  // CHECK-COUNT-8: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
  // CHECK: mx.block_amax {{.*}} lanes = 2
  // CHECK-COUNT-4: llvm.inline_asm has_side_effects asm_dialect = att "@$0 st.global.v4.b32 [$1], {$2, $3, $4, $5};"
  // CHECK: mx.gather_scales {{.*}} lanes = 2
  // CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<1>
  // CHECK-NOT: nvvm.barrier
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s, %qt, %st : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>)
      axis = both tiles = [#mx.column_tile<>]
}

// A prologue is computed once: its f32 takes the inputs' place, for the row copy to be read from.
// CHECK-LABEL: llvm.func @fused(
mx.kernel @fused(%x: memref<?x?xbf16>, %y: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>,
                 %qt: memref<?x?xf8E4M3FN>, %st: memref<?x?xf8E8M0FNU>) {
  // CHECK: mx.ring "inputs" stages = 1 once parts = [32768, 32768] alignment = 128
  // CHECK: mx.use
  // CHECK-COUNT-64: arith.mulf
  // CHECK-NOT: arith.mulf
  // CHECK: nvvm.barrier
  // CHECK-COUNT-32: llvm.store %{{.*}}, %{{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<3>
  // CHECK: mx.column_amax
  // CHECK: nvvm.barrier
  // CHECK-COUNT-16: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
  // CHECK: mx.block_amax
  mx.quantize ins(%x, %y : memref<?x?xbf16>, memref<?x?xbf16>) outs(%q, %s, %qt, %st : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      axis = both tiles = [#mx.column_tile<>] {
  ^bb0(%a: f32, %b: f32):
    %z = arith.mulf %a, %b : f32
    mx.yield %z : f32
  }
}
