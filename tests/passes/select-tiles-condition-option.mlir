// A tile for some shapes alone is followed by what takes the others.
// RUN: mxc-opt --pass-pipeline='builtin.module(mx-select-tiles{target=sm_90a tile={access = element, when = "M > 4"}})' %s | FileCheck %s

mx.kernel @quantize(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK: tiles = [#mx.quantize_tile<variant = direct, warps = 8, rows_per_warp = 4, lane_elements = 8, access = element, order = columns, when = "M > 4">, #mx.quantize_tile<variant = direct, warps = 8, rows_per_warp = 1, lane_elements = 8, access = element, order = columns>]
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}
