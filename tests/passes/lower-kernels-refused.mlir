// What is in the dialect, but has no code yet, or no room.
// RUN: mxc-opt --mx-lower-kernels=target=sm_120a %s -split-input-file -verify-diagnostics

mx.kernel @half_words(%x: memref<?x?xbf16>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{lane_elements must make whole words of 32 bits of f4E2M1FN with access = vector}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU>) tiles = [#mx.quantize_tile<lane_elements = 4>]
}

// -----

mx.kernel @half_words_of_six_bits(%x: memref<?x?xbf16>, %q: memref<?x?xf6E3M2FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{lane_elements must make whole words of 32 bits of f6E3M2FN with access = vector}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf6E3M2FN>, memref<?x?xf8E8M0FNU>) tiles = [#mx.quantize_tile<>]
}

// -----

mx.kernel @bulk_dequantize(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %x: memref<?x?xf32>) {
  // expected-error @+1 {{tile #mx.quantize_tile<variant = bulk, warps = 8, rows_per_warp = 4, lane_elements = 8, access = vector, order = columns>: variant = bulk is for mx.quantize}}
  mx.dequantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) outs(%x : memref<?x?xf32>) tiles = [#mx.quantize_tile<variant = bulk>]
}

// -----

mx.kernel @square_groups(%x: memref<?x?xbf16>, %ends: memref<?xi32>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf32>) {
  // expected-error @+1 {{block format fp8_e4m3_128x128: code for blocks of several rows is generated without groups}}
  mx.quantize ins(%x : memref<?x?xbf16>) groups(%ends : memref<?xi32>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf32>) block = 128x128 tiles = [#mx.quantize_tile<warps = 32>]
}

// -----

mx.kernel @square_lines(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf32, #mx.scale_layout<mn_major>>) {
  // expected-error @+1 {{block format fp8_e4m3_128x128: scales of blocks of several rows are generated dense, found the layout mn_major}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf32, #mx.scale_layout<mn_major>>) block = 128x128 tiles = [#mx.quantize_tile<warps = 32>]
}

// -----

!tiles = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
mx.kernel @tiled_blocks_of_128(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: !tiles) {
  // expected-error @+1 {{block format fp8_e4m3_1x128_ue8m0: the layout tcgen05 is for blocks that tensor cores read; block = 1x128 to 1x32 writes each scale for those}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, !tiles) block = 1x128 tiles = [#mx.quantize_tile<>]
}

// -----

!tiles = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
mx.kernel @square_maxima_of_groups(%x: memref<?x?xbf16>, %ends: memref<?xi32>, %q: memref<?x?xf8E4M3FN>, %s: !tiles) {
  // expected-error @+1 {{block format mxfp8_e4m3: code for blocks of several rows is generated without groups}}
  mx.quantize ins(%x : memref<?x?xbf16>) groups(%ends : memref<?xi32>) outs(%q, %s : memref<?x?xf8E4M3FN>, !tiles) block = 128x128 to 1x32 tiles = [#mx.quantize_tile<warps = 32>]
}

// -----

!words = memref<?x?xf8E8M0FNU, #mx.scale_layout<mn_packed>>
mx.kernel @words_of_groups(%x: memref<?x?xbf16>, %ends: memref<?xi32>, %q: memref<?x?xf8E4M3FN>, %s: !words) {
  // expected-error @+1 {{scales of groups are not generated in another library's layout, found mn_packed: mx.convert_scales writes it}}
  mx.quantize ins(%x : memref<?x?xbf16>) groups(%ends : memref<?xi32>) outs(%q, %s : memref<?x?xf8E4M3FN>, !words) block = 1x128 tiles = [#mx.quantize_tile<>]
}

// -----

mx.kernel @few_columns(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf32>) {
  // expected-error @+1 {{columns = 64, store_bytes = 16, order = rows, cluster_rows = 1, cluster_columns = 1, ctas_per_sm = 0>: the 128 columns of one maximum must lie in a CTA's}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf32>) axis = column block = 128x128 tiles = [#mx.column_tile<columns = 64>]
}
