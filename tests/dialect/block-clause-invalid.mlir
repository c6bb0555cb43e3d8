// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @quantize(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{found 'f8E4M3FN' and 'f8E8M0FNU' with block = 1x48 [Q7]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) block = 1x48
}

// -----

mx.kernel @dequantize(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %x: memref<?x?xf32>) {
  // expected-error @+1 {{found 'f8E4M3FN' and 'f8E8M0FNU' with block = 32x1 [D4]}}
  mx.dequantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) outs(%x : memref<?x?xf32>) block = 32x1
}

// -----

mx.kernel @extents(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{expected a block of rows x columns: 1x32}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) block = 1x4x8
}

// -----

// A scale format that makes no row with this element.
mx.kernel @formats(%x: memref<?x?xbf16>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf32>) {
  // expected-error @+1 {{found 'f4E2M1FN' and 'f32' [Q7]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf32>)
}

// -----

// Two operands whose blocks have two lengths.
#scales = #mx.scale_layout<tcgen05>
mx.kernel @lengths(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf4E2M1FN>, %sb: memref<?x?xf8E4M3FN, #scales>,
                   %c: memref<?x?xbf16>) {
  // expected-error @+1 {{blocks of a and b must have one length along K, found 32 and 16 [M3]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN, #scales>)
            outs(%c : memref<?x?xbf16>)
}

// -----

mx.kernel @layout(%from: memref<?x?xf32>, %to: memref<?x?xf32, #mx.scale_layout<tcgen05>>) {
  // expected-error @+1 {{the layout tcgen05 is for scales of 8 bits, found 'memref<?x?xf32, #mx.scale_layout<tcgen05>>' [S1]}}
  mx.pack_scales ins(%from : memref<?x?xf32>) outs(%to : memref<?x?xf32, #mx.scale_layout<tcgen05>>)
}
