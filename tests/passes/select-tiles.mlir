// RUN: mxc-opt --mx-select-tiles=target=sm_90a %s | FileCheck %s --check-prefixes=CHECK,HOPPER
// RUN: mxc-opt --mx-select-tiles=target=sm_100a %s | FileCheck %s --check-prefixes=CHECK,BLACKWELL
// RUN: mxc-opt --mx-select-tiles=target=sm_103a %s | FileCheck %s --check-prefixes=CHECK,BLACKWELL
// RUN: mxc-opt --mx-select-tiles=target=sm_120a %s | FileCheck %s --check-prefixes=CHECK,BLACKWELL,SMALL
// RUN: mxc-opt --mx-select-tiles %s | FileCheck %s --check-prefixes=CHECK,BLACKWELL

// By size, and last what takes every shape and alignment.
// CHECK-LABEL: mx.kernel @quantize
mx.kernel @quantize(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK: mx.quantize {{.*}} rounding = ceil
  // HOPPER-SAME: tiles = [#mx.quantize_tile<variant = direct, warps = 4, rows_per_warp = 1, lane_elements = 8, access = vector, order = columns, when = "M * K <= 524288">,
  // HOPPER-SAME: #mx.quantize_tile<variant = direct, warps = 8, rows_per_warp = 1, lane_elements = 8, access = vector, order = columns, when = "M * K <= 3145728 || GBs < SMs * 30">,
  // HOPPER-SAME: #mx.quantize_tile<variant = direct, warps = 8, rows_per_warp = 4, lane_elements = 8, access = vector, order = columns, when = "M * K > 4194304 && M * K <= 8388608">, #mx.quantize_tile<variant = direct, warps = 16, rows_per_warp = 4, lane_elements = 8, access = vector, order = columns>,
  // BLACKWELL-SAME: tiles = [#mx.quantize_tile<variant = direct, warps = 4, rows_per_warp = 1, lane_elements = 8, access = vector, order = columns, when = "M * K <= 1048576">, #mx.quantize_tile<variant = direct, warps = 8, rows_per_warp = 4, lane_elements = 16, access = vector, order = columns>, #mx.quantize_tile<variant = direct, warps = 8, rows_per_warp = 4, lane_elements = 8, access = vector, order = columns>,
  // CHECK-SAME: #mx.quantize_tile<variant = direct, warps = 8, rows_per_warp = 1, lane_elements = 8, access = element, order = columns>]
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) rounding = ceil
}

// CHECK-LABEL: mx.kernel @dequantize
mx.kernel @dequantize(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %x: memref<?x?xf32>) {
  // CHECK: mx.dequantize
  // HOPPER-SAME: tiles = [#mx.quantize_tile<variant = direct, warps = 4, rows_per_warp = 1, lane_elements = 8, access = vector, order = columns, when = "M * K <= 524288">,
  // HOPPER-SAME: #mx.quantize_tile<variant = direct, warps = 8, rows_per_warp = 1, lane_elements = 8, access = vector, order = columns, when = "M * K <= 3145728">,
  // HOPPER-SAME: #mx.quantize_tile<variant = direct, warps = 8, rows_per_warp = 4, lane_elements = 8, access = vector, order = columns, when = "M * K > 4194304 && M * K <= 8388608">, #mx.quantize_tile<variant = direct, warps = 16, rows_per_warp = 4, lane_elements = 8, access = vector, order = columns>,
  // BLACKWELL-SAME: tiles = [#mx.quantize_tile<variant = direct, warps = 4, rows_per_warp = 1, lane_elements = 8, access = vector, order = columns, when = "M * K <= 1048576">, #mx.quantize_tile<variant = direct, warps = 8, rows_per_warp = 4, lane_elements = 8, access = vector, order = columns>,
  // CHECK-SAME: #mx.quantize_tile<variant = direct, warps = 8, rows_per_warp = 1, lane_elements = 8, access = element, order = columns>]
  mx.dequantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) outs(%x : memref<?x?xf32>)
}

// Both axes: along K first, large ones in clusters, small ones by 64 columns; what is f32 in registers with fewer CTAs; no boxes where they do not fit (99 KB on sm_120a).
// CHECK-LABEL: mx.kernel @both
mx.kernel @both(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %p: memref<?x?xf8E4M3FN>, %t: memref<?x?xf8E8M0FNU>) {
  // CHECK: tiles = [#mx.column_tile<load = bulk, columns = 128, store_bytes = 16, order = columns, cluster_rows = 2, cluster_columns = 2, ctas_per_sm = 3, when = "M * K > 33554432">,
  // CHECK-SAME: #mx.column_tile<load = bulk, columns = 64, store_bytes = 16, order = columns, cluster_rows = 1, cluster_columns = 2, ctas_per_sm = 6, when = "M * K > 4194304">,
  // CHECK-SAME: #mx.column_tile<load = bulk, columns = 64, store_bytes = 16, order = columns, cluster_rows = 1, cluster_columns = 1, ctas_per_sm = 6>,
  // CHECK-SAME: #mx.column_tile<load = bulk, columns = 128, store_bytes = 1, order = columns, cluster_rows = 2, cluster_columns = 1, ctas_per_sm = 3>,
  // CHECK-SAME: #mx.column_tile<load = element, columns = 128, store_bytes = 1, order = rows, cluster_rows = 1, cluster_columns = 1, ctas_per_sm = 2>]
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s, %p, %t : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) axis = both
}

// Both copies of 4 bits: 64 columns, of large ones too. Where something else is computed: 128, and with two scales two CTAs.
// CHECK-LABEL: mx.kernel @both_of_four_bits
mx.kernel @both_of_four_bits(%x: memref<?x?xbf16>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E8M0FNU>, %p: memref<?x?xf4E2M1FN>, %t: memref<?x?xf8E8M0FNU>) {
  // CHECK: tiles = [#mx.column_tile<load = bulk, columns = 64, store_bytes = 16, order = columns, cluster_rows = 1, cluster_columns = 2, ctas_per_sm = 6, when = "M * K > 4194304">,
  // CHECK-SAME: #mx.column_tile<load = bulk, columns = 64, store_bytes = 16, order = columns, cluster_rows = 1, cluster_columns = 1, ctas_per_sm = 6>,
  // CHECK-SAME: #mx.column_tile<load = bulk, columns = 128, store_bytes = 1,
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s, %p, %t : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU>, memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU>) axis = both
}

// CHECK-LABEL: mx.kernel @transformed
mx.kernel @transformed(%x: memref<?x?xbf16>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK: tiles = [#mx.column_tile<load = bulk, columns = 128, {{.*}} when = "M * K > 8388608">, #mx.column_tile<load = bulk, columns = 128, store_bytes = 16, order = rows, cluster_rows = 1, cluster_columns = 1, ctas_per_sm = 3>,
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU>) axis = column hadamard = 16
}

// CHECK-LABEL: mx.kernel @two_scales
mx.kernel @two_scales(%x: memref<?x?xbf16>, %g: memref<1xf32>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E4M3FN>) {
  // CHECK: tiles = [#mx.column_tile<load = bulk, columns = 128, store_bytes = 16, order = rows, cluster_rows = 2, cluster_columns = 1, ctas_per_sm = 2, when = "M * K > 8388608">, #mx.column_tile<load = bulk, columns = 128, store_bytes = 16, order = rows, cluster_rows = 1, cluster_columns = 1, ctas_per_sm = 2>,
  mx.quantize ins(%x : memref<?x?xbf16>) tensor_scale(%g : memref<1xf32>) outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN>) axis = column four_over_six = mse
}

// CHECK-LABEL: mx.kernel @two_wide_inputs
mx.kernel @two_wide_inputs(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // HOPPER: tiles = [#mx.column_tile<load = bulk, columns = 128, store_bytes = 16, order = rows, cluster_rows = 1, cluster_columns = 1, ctas_per_sm = 2>,
  // SMALL: tiles = [#mx.column_tile<load = direct, columns = 128, store_bytes = 16, order = rows, cluster_rows = 1, cluster_columns = 1, ctas_per_sm = 2>,
  mx.quantize ins(%x, %y : memref<?x?xf32>, memref<?x?xf32>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) axis = column {
  ^bb0(%a: f32, %b: f32):
    %z = arith.mulf %a, %b : f32
    mx.yield %z : f32
  }
}

// What the user wrote stays, and is followed by what takes everything.
// CHECK-LABEL: mx.kernel @written
mx.kernel @written(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK: mx.quantize
  // CHECK-SAME: tiles = [#mx.quantize_tile<variant = direct, warps = 4, rows_per_warp = 4, lane_elements = 16, access = vector, order = columns>, #mx.quantize_tile<variant = direct, warps = 8, rows_per_warp = 1, lane_elements = 8, access = element, order = columns>]{{$}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      tiles = [#mx.quantize_tile<warps = 4, lane_elements = 16>]
}

// CHECK-LABEL: mx.kernel @general
mx.kernel @general(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %x: memref<?x?xf32>) {
  // CHECK: mx.dequantize
  // CHECK-SAME: tiles = [#mx.quantize_tile<variant = direct, warps = 4, rows_per_warp = 4, lane_elements = 8, access = element, order = columns>]{{$}}
  mx.dequantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) outs(%x : memref<?x?xf32>)
      tiles = [#mx.quantize_tile<warps = 4, access = element>]
}

// Scales have no tiles.
// CHECK-LABEL: mx.kernel @pack
mx.kernel @pack(%a: memref<?x?xf8E8M0FNU>, %b: memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) {
  // CHECK: mx.pack_scales {{.*}}<tcgen05>>){{$}}
  mx.pack_scales ins(%a : memref<?x?xf8E8M0FNU>) outs(%b : memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>)
}
