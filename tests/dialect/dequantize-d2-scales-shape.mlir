// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @blocks(%q: memref<?x64xf8E4M3FN>, %s: memref<?x3xf8E8M0FNU>, %x: memref<?x64xf32>) {
  // expected-error @+1 {{scales must have shape [rows, ceil(columns/32)] of 'memref<?x64xf8E4M3FN>', found 'memref<?x3xf8E8M0FNU>' [D2]}}
  mx.dequantize ins(%q, %s : memref<?x64xf8E4M3FN>, memref<?x3xf8E8M0FNU>) outs(%x : memref<?x64xf32>)
}

// -----

mx.kernel @rows(%q: memref<8x?xf8E4M3FN>, %s: memref<4x?xf8E8M0FNU>, %x: memref<8x?xf32>) {
  // expected-error @+1 {{found 'memref<4x?xf8E8M0FNU>' [D2]}}
  mx.dequantize ins(%q, %s : memref<8x?xf8E4M3FN>, memref<4x?xf8E8M0FNU>) outs(%x : memref<8x?xf32>)
}

// -----

mx.kernel @strided(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU, strided<[?, 1]>>, %x: memref<?x?xf32>) {
  // expected-error @+1 {{scales must have the default layout or a #mx.scale_layout, found 'memref<?x?xf8E8M0FNU, strided<[?, 1]>>' [D2]}}
  mx.dequantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, strided<[?, 1]>>) outs(%x : memref<?x?xf32>)
}
