// RUN: mxc-opt %s -split-input-file -verify-diagnostics

// 65 columns are three blocks, the last a partial one.
mx.kernel @partial_block(%x: memref<?x65xbf16>, %q: memref<?x65xf8E4M3FN>, %s: memref<?x2xf8E8M0FNU>) {
  // expected-error @+1 {{scales must have shape [rows, ceil(columns/32)] of 'memref<?x65xf8E4M3FN>', found 'memref<?x2xf8E8M0FNU>' [Q3]}}
  mx.quantize ins(%x : memref<?x65xbf16>) outs(%q, %s : memref<?x65xf8E4M3FN>, memref<?x2xf8E8M0FNU>)
}

// -----

mx.kernel @rows(%x: memref<8x?xbf16>, %q: memref<8x?xf8E4M3FN>, %s: memref<9x?xf8E8M0FNU>) {
  // expected-error @+1 {{scales must have shape [rows, ceil(columns/32)] of 'memref<8x?xf8E4M3FN>', found 'memref<9x?xf8E8M0FNU>' [Q3]}}
  mx.quantize ins(%x : memref<8x?xbf16>) outs(%q, %s : memref<8x?xf8E4M3FN>, memref<9x?xf8E8M0FNU>)
}

// -----

mx.kernel @strided(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU, strided<[?, 1]>>) {
  // expected-error @+1 {{scales must have the default layout or a #mx.scale_layout, found 'memref<?x?xf8E8M0FNU, strided<[?, 1]>>' [Q3]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, strided<[?, 1]>>)
}

// -----

// The shape is the matrix', not that of the padded tiles.
#tiles = #mx.scale_layout<tcgen05>
mx.kernel @padded_tiles(%x: memref<100x64xbf16>, %q: memref<100x64xf8E4M3FN>, %s: memref<128x4xf8E8M0FNU, #tiles>) {
  // expected-error @+1 {{found 'memref<128x4xf8E8M0FNU, #mx.scale_layout<tcgen05>>' [Q3]}}
  mx.quantize ins(%x : memref<100x64xbf16>) outs(%q, %s : memref<100x64xf8E4M3FN>, memref<128x4xf8E8M0FNU, #tiles>)
}
