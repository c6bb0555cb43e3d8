// tcgen05 scales: four blocks of a row are one word; each of four lane groups stores another row's. Rows and blocks outside
// the matrix are stored too: padding is 0x00.
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a --canonicalize --cse %s | FileCheck %s

#scales = #mx.scale_layout<tcgen05>

// CHECK-LABEL: llvm.func @four_rows(
mx.kernel @four_rows(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU, #scales>) {
  // CHECK: %[[WORD:.*]] = mx.gather_scales %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} lane %[[LANE:.*]] lanes = 4
  // CHECK: %[[QUAD:.*]] = arith.divui %[[LANE]], %c4_i32
  // CHECK-NEXT: %[[GROUP:.*]] = arith.andi %[[QUAD]], %c3_i32
  // CHECK-NEXT: %[[FIRSTBLOCK:.*]] = arith.andi %{{.*}}, %c-4_i32
  // CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[FIRSTBLOCK]], %{{.*}}
  // CHECK: %[[STORES:.*]] = arith.andi %{{.*}}, %[[INSIDE]]
  // CHECK: %[[DOWN:.*]] = arith.muli %[[GROUP]], %c32_i32
  // CHECK: %[[OFFSET:.*]] = mx.scale_offset[%{{.*}}, %{{.*}}] of %{{.*}} layout = <tcgen05>
  // CHECK-NEXT: scf.if %[[STORES]] {
  // CHECK-NEXT: %[[PLACE:.*]] = llvm.getelementptr %{{.*}}[%[[OFFSET]]]
  // CHECK-NEXT: llvm.store %[[WORD]], %[[PLACE]] {alignment = 4 : i64} : i32, !llvm.ptr<1>
  // CHECK-NEXT: }
  // CHECK-NOT: llvm.store
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) tiles = [#mx.quantize_tile<>]
}

// CHECK-LABEL: llvm.func @one_row(
mx.kernel @one_row(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU, #scales>) {
  // CHECK: %[[WORD:.*]] = mx.gather_scales %{{[^,]*}} lane %[[LANE:.*]] lanes = 2
  // CHECK: %[[QUAD:.*]] = arith.divui %[[LANE]], %c2_i32
  // CHECK-NEXT: %[[GROUP:.*]] = arith.andi %[[QUAD]], %c3_i32
  // CHECK: %[[LEADER:.*]] = arith.cmpi eq, %[[GROUP]], %c0_i32
  // CHECK: %[[STORES:.*]] = arith.andi %{{.*}}, %[[LEADER]]
  // CHECK: scf.if %[[STORES]]
  // CHECK: llvm.store %[[WORD]], %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<1>
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>)
      tiles = [#mx.quantize_tile<rows_per_warp = 1, lane_elements = 16>]
}
