// Along columns: one bulk copy of the CTA's tile, a lane's 32 rows of two columns, codes by column to shared memory, from
// there to their rows.
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a --canonicalize --cse %s | FileCheck %s

// CHECK: module attributes {mx.abi = "
// CHECK-SAME: \22axis\22:\22column\22
// CHECK-SAME: \22transpose\22:\22true\22
// CHECK-SAME: \22alignments\22:[{\22argument\22:\22x\22,\22bytes\22:16},{\22argument\22:\22qt\22,\22bytes\22:16}]
// CHECK-SAME: \22block\22:[256,1,1]
// CHECK-SAME: \22grid\22:[\22ceildiv(M, 128)\22,\22min(ceildiv(K, 128), 65535)\22,\22ceildiv(ceildiv(K, 128), 65535)\22]
// CHECK-SAME: \22when\22:\22M % 16 == 0 && M <= 2147418112 && K <= 2147418112\22

// CHECK-LABEL: llvm.func @column(
mx.kernel @column(%x: memref<?x?xbf16>, %qt: memref<?x?xf8E4M3FN>, %st: memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) {
  // CHECK: nvvm.griddepcontrol wait
  // CHECK: mx.ring "inputs" stages = 1 once parts = [32768] alignment = 128
  // CHECK: mx.copy_box {{.*}} part = 0 bytes = 32768
  // CHECK: nvvm.griddepcontrol launch_dependents
  // CHECK-NEXT: mx.use
  // CHECK-COUNT-32: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
  // CHECK: %[[AMAX:.*]]:2 = mx.column_amax
  // CHECK: %[[B0:.*]], %[[M0:.*]] = mx.encode_scale %[[AMAX]]#0
  // CHECK: %[[B1:.*]], %[[M1:.*]] = mx.encode_scale %[[AMAX]]#1
  // CHECK: %[[CODES:.*]]:2 = mx.convert_columns {{.*}} by %[[M0]], %[[M1]] element = f8E4M3FN scale = f8E8M0FNU transpose : {{.*}} -> vector<8xi32>, vector<8xi32>
  // CHECK-COUNT-4: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
  // CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<3>
  // CHECK: nvvm.barrier
  // CHECK-COUNT-4: llvm.inline_asm has_side_effects asm_dialect = att "@$0 st.global.v4.b32 [$1], {$2, $3, $4, $5};"
  // CHECK: mx.scale_offset{{.*}} layout = <tcgen05>
  // CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<1>
  // CHECK-NOT: llvm.store
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%qt, %st : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>)
      axis = column tiles = [#mx.column_tile<>]
}

// Untransposed: pairs of a row to shared memory, rows of the matrix from there. Registers for three CTAs.
// CHECK-LABEL: llvm.func @untransposed(
// CHECK-SAME: nvvm.minctasm = 3 : i32
mx.kernel @untransposed(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %st: memref<?x?xf8E8M0FNU>) {
  // CHECK: mx.convert_columns
  // CHECK-NOT: transpose
  // CHECK-COUNT-32: llvm.store %{{.*}}, %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<3>
  // CHECK: nvvm.barrier
  // CHECK-COUNT-4: llvm.inline_asm has_side_effects asm_dialect = att "@$0 st.global.v4.b32 [$1], {$2, $3, $4, $5};"
  // CHECK-COUNT-4: llvm.store %{{.*}}, %{{.*}} {alignment = 1 : i64} : i8, !llvm.ptr<1>
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %st : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      axis = column transpose = false tiles = [#mx.column_tile<ctas_per_sm = 3>]
}

// Every pair from global memory; none outside the matrix is read.
// CHECK-LABEL: llvm.func @direct(
mx.kernel @direct(%x: memref<?x?xf32>, %qt: memref<?x?xf8E4M3FN>, %st: memref<?x?xf8E8M0FNU>) {
  // CHECK-COUNT-32: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
  // CHECK-NOT: llvm.load %{{.*}} : !llvm.ptr<1>
  // CHECK: mx.column_amax
  mx.quantize ins(%x : memref<?x?xf32>) outs(%qt, %st : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      axis = column tiles = [#mx.column_tile<load = direct, store_bytes = 1>]
}
