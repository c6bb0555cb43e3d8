// RUN: not mxc-opt --pass-pipeline='builtin.module(mx-select-tiles{tile="wraps = 4"})' %s 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not mxc-opt --pass-pipeline='builtin.module(mx-select-tiles{tile="warps = 3"})' %s 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: not mxc-opt --pass-pipeline='builtin.module(mx-select-tiles{tile="warps = 4> "})' %s 2>&1 | FileCheck %s --check-prefix=TRAILING
// RUN: not mxc-opt --pass-pipeline='builtin.module(mx-select-tiles{tile=bulk})' %s 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not mxc-opt --pass-pipeline='builtin.module(mx-select-tiles{tile="#mx.scale_layout<dense>"})' %s 2>&1 | FileCheck %s --check-prefix=KIND

// NAME: {{^}}{{.*}}select-tiles-bad-tile.mlir:[[#@LINE+6]]:3: error: the tile 'wraps = 4': 'wraps' is no member of a tile: expected warps, variant,
// LIMIT: error: the tile 'warps = 3': warps must be 1, 2, 4, 8, 16 or 32, found 3
// TRAILING: error: the tile 'warps = 4>{{ *}}': found trailing characters: '>'
// KIND: error: the tile '#mx.scale_layout<dense>': expected #mx.quantize_tile<...>
// WORD: error: the tile 'bulk': 'bulk' is no member of a tile: expected variant, warps,
mx.kernel @quantize(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}
