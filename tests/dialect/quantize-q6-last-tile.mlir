// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @empty(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{the last tile must have no condition: it takes what the others refuse [Q6]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) tiles = []
}

// -----

mx.kernel @condition_on_the_last(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{the last tile must have no condition: it takes what the others refuse [Q6]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      tiles = [#mx.quantize_tile<>, #mx.quantize_tile<when = "M <= 128">]
}

// -----

mx.kernel @no_tiles_in_it(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{tiles must be #mx.quantize_tile<...>, found 1 : i32 [Q6]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) tiles = [1 : i32]
}

// -----

mx.kernel @tiles_of_another_axis(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{tiles must be #mx.column_tile<...>, found #mx.quantize_tile<variant = direct, warps = 8, rows_per_warp = 4, lane_elements = 8, access = vector, order = columns> [Q6]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) axis = column tiles = [#mx.quantize_tile<>]
}
