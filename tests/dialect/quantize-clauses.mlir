// Clauses come in any order and are printed in one.
// RUN: mxc-opt %s | mxc-opt | FileCheck %s
// RUN: mxc-opt --mlir-print-op-generic %s | mxc-opt | FileCheck %s

// CHECK-LABEL: mx.kernel @no_clause
mx.kernel @no_clause(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK-NEXT: mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>){{ *}}{{$}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}

// CHECK-LABEL: mx.kernel @row_ceil_propagate_exact
mx.kernel @row_ceil_propagate_exact(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK: mx.quantize {{.*}} axis = row rounding = ceil special = propagate tiny = exact{{$}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      tiny = exact special = propagate rounding = ceil axis = row
}

// CHECK-LABEL: mx.kernel @column_floor_saturate_byte_one
mx.kernel @column_floor_saturate_byte_one(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK: mx.quantize {{.*}} axis = column rounding = floor special = saturate tiny = byte_one{{$}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      rounding = floor tiny = byte_one axis = column special = saturate
}

// CHECK-LABEL: mx.kernel @both_even_nan_scale
mx.kernel @both_even_nan_scale(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>,
                               %p: memref<?x?xf8E4M3FN>, %t: memref<?x?xf8E8M0FNU>) {
  // CHECK: mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s, %p, %t : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) axis = both transpose = false rounding = even special = nan_scale tiles = [#mx.column_tile<{{.*}}>] attributes {note = "kept"}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s, %p, %t : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      transpose = false tiles = [#mx.column_tile<>] special = nan_scale axis = both rounding = even attributes {note = "kept"}
}

// CHECK-LABEL: mx.kernel @compat
mx.kernel @compat(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK: mx.quantize {{.*}} axis = row compat = "torchao"{{$}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      compat = "torchao" axis = row
}

// CHECK-LABEL: mx.kernel @blocks
mx.kernel @blocks(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK: mx.quantize {{.*}} axis = column block = 128x128 to 1x32 rounding = ceil{{$}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      block = 128x128 to 1x32 rounding = ceil axis = column
}
