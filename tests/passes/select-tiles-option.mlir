// --tile replaces what the heuristics and the user chose; what takes everything follows where it is missing.
// RUN: mxc-opt --pass-pipeline='builtin.module(mx-select-tiles{target=sm_90a tile="warps = 4, rows_per_warp = 1"})' %s | FileCheck %s --check-prefixes=CHECK,VECTOR
// RUN: mxc-opt --pass-pipeline='builtin.module(mx-select-tiles{target=sm_90a tile="#mx.quantize_tile<warps = 4, rows_per_warp = 1>"})' %s | FileCheck %s --check-prefixes=CHECK,VECTOR
// RUN: mxc-opt --pass-pipeline='builtin.module(mx-select-tiles{target=sm_90a tile="access = element"})' %s | FileCheck %s --check-prefixes=CHECK,ELEMENT
// RUN: mxc-opt --pass-pipeline='builtin.module(mx-kernel-stage{target=sm_100a tile="lane_elements = 16"})' %s | FileCheck %s --check-prefixes=CHECK,WIDE

// CHECK-LABEL: mx.kernel @quantize
mx.kernel @quantize(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // VECTOR: tiles = [#mx.quantize_tile<variant = direct, warps = 4, rows_per_warp = 1, lane_elements = 8, access = vector, order = columns>, #mx.quantize_tile<variant = direct, warps = 8, rows_per_warp = 1, lane_elements = 8, access = element, order = columns>]
  // ELEMENT: tiles = [#mx.quantize_tile<variant = direct, warps = 8, rows_per_warp = 4, lane_elements = 8, access = element, order = columns>]
  // WIDE: tiles = [#mx.quantize_tile<variant = direct, warps = 8, rows_per_warp = 4, lane_elements = 16, access = vector, order = columns>, #mx.quantize_tile<variant = direct, warps = 8, rows_per_warp = 1, lane_elements = 8, access = element, order = columns>]
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      tiles = [#mx.quantize_tile<warps = 32>]
}

// CHECK-LABEL: mx.kernel @dequantize
mx.kernel @dequantize(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %x: memref<?x?xf32>) {
  // VECTOR: tiles = [#mx.quantize_tile<variant = direct, warps = 4, rows_per_warp = 1, lane_elements = 8, access = vector, order = columns>, #mx.quantize_tile<variant = direct, warps = 8, rows_per_warp = 1, lane_elements = 8, access = element, order = columns>]
  // ELEMENT: tiles = [#mx.quantize_tile<variant = direct, warps = 8, rows_per_warp = 4, lane_elements = 8, access = element, order = columns>]
  // WIDE: tiles = [#mx.quantize_tile<variant = direct, warps = 8, rows_per_warp = 4, lane_elements = 16, access = vector, order = columns>, #mx.quantize_tile<variant = direct, warps = 8, rows_per_warp = 1, lane_elements = 8, access = element, order = columns>]
  mx.dequantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) outs(%x : memref<?x?xf32>)
}
