// RUN: not mxc-opt --pass-pipeline='builtin.module(mx-select-tiles{tile="wraps = 4"})' %s 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not mxc-opt --pass-pipeline='builtin.module(mx-select-tiles{tile="warps = 3"})' %s 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: not mxc-opt --pass-pipeline='builtin.module(mx-select-tiles{tile="warps = 4> "})' %s 2>&1 | FileCheck %s --check-prefix=TRAILING
// RUN: not mxc-opt --pass-pipeline='builtin.module(mx-select-tiles{tile=bulk})' %s 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not mxc-opt --pass-pipeline='builtin.module(mx-select-tiles{tile="#mx.scale_layout<dense>"})' %s 2>&1 | FileCheck %s --check-prefix=KIND

// NAME: error: duplicate or unknown struct parameter name: wraps
// NAME: select-tiles-bad-tile.mlir:[[#@LINE+9]]:3: error: the tile 'wraps = 4' is not what stands inside #mx.quantize_tile<...>
// LIMIT: error: warps must be 1, 2, 4, 8, 16 or 32, found 3
// LIMIT: error: the tile 'warps = 3' is not what stands inside #mx.quantize_tile<...>
// TRAILING: error: found trailing characters: '>'
// TRAILING: error: the tile 'warps = 4>{{ *}}' is not what stands inside #mx.quantize_tile<...>
// WORD: error:
// KIND: error: the tile '#mx.scale_layout<dense>' is not #mx.quantize_tile<...>
// WORD: error: the tile 'bulk' is not what stands inside #mx.quantize_tile<...>
mx.kernel @quantize(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}
