// RUN: mxc-opt %s -split-input-file -verify-diagnostics

!numbers = memref<?x?xf32>

mx.kernel @formats(%s: memref<?x?xf8E4M3FN>, %t: !numbers) {
  // expected-error @+1 {{source and destination must have one type of scales, or f32 and f8E8M0FNU, found 'f8E4M3FN' and 'f32' [S3]}}
  mx.convert_scales ins(%s : memref<?x?xf8E4M3FN>) outs(%t : !numbers)
}

// -----

!packed = memref<?x?xf32, #mx.scale_layout<mn_packed>>
mx.kernel @width(%s: !packed, %t: memref<?x?xf32>) {
  // expected-error @+1 {{the layout mn_packed is for scales of 8 bits, found 'memref<?x?xf32, #mx.scale_layout<mn_packed>>' [S3]}}
  mx.convert_scales ins(%s : !packed) outs(%t : memref<?x?xf32>)
}

// -----

mx.kernel @larger(%s: memref<?x?xf32>, %t: memref<?x?xf32>) {
  // expected-error @+1 {{blocks of the source must be made of whole blocks of the destination, found 1x32 to 1x128: elements change where blocks grow, which is mx.requantize's [S4]}}
  mx.convert_scales ins(%s : memref<?x?xf32>) outs(%t : memref<?x?xf32>) block = 1x32 to 1x128
}

// -----

mx.kernel @unknown(%s: memref<?x?xf32>, %t: memref<?x?xf32>) {
  // expected-error @+1 {{block must be those of two block formats, as 1x128 to 1x32, found 1x96 [S4]}}
  mx.convert_scales ins(%s : memref<?x?xf32>) outs(%t : memref<?x?xf32>) block = 1x96 to 1x32
}

// -----

mx.kernel @rows(%s: memref<4x?xf32>, %t: memref<300x?xf32>) {
  // expected-error @+1 {{source must have 3 rows of the destination's 300, found 'memref<4x?xf32>' [S4]}}
  mx.convert_scales ins(%s : memref<4x?xf32>) outs(%t : memref<300x?xf32>) block = 128x128 to 1x32
}

// -----

mx.kernel @blocks(%s: memref<?x8xf32>, %t: memref<?x7xf32>) {
  // expected-error @+1 {{source must have 7 blocks a row of the destination's 7, found 'memref<?x8xf32>' [S4]}}
  mx.convert_scales ins(%s : memref<?x8xf32>) outs(%t : memref<?x7xf32>)
}

// -----

mx.kernel @counted(%s: memref<?x?xf8E8M0FNU>, %t: memref<?x?xf32>, %n: memref<1xi64>) {
  // expected-error @+1 {{inexact(..) is for scales of f32 that become f8E8M0FNU, found 'f8E8M0FNU' and 'f32' [S5]}}
  mx.convert_scales ins(%s : memref<?x?xf8E8M0FNU>) outs(%t : memref<?x?xf32>) inexact(%n : memref<1xi64>)
}

// -----

mx.kernel @counters(%s: memref<?x?xf32>, %t: memref<?x?xf8E8M0FNU>, %n: memref<2xi64>) {
  // expected-error @+1 {{inexact must be memref<1xi64>, found 'memref<2xi64>' [S5]}}
  mx.convert_scales ins(%s : memref<?x?xf32>) outs(%t : memref<?x?xf8E8M0FNU>) inexact(%n : memref<2xi64>)
}

// -----

mx.kernel @word(%s: memref<?x?xf32>, %t: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{'blocks' is no clause: expected block}}
  mx.convert_scales ins(%s : memref<?x?xf32>) outs(%t : memref<?x?xf8E8M0FNU>) blocks = 1x128 to 1x32
}

// -----

mx.kernel @half(%s: memref<?x?xf32>, %t: memref<?x?xf8E8M0FNU>) {
  // expected-error @+2 {{expected 'to', and then the blocks of the results}}
  mx.convert_scales ins(%s : memref<?x?xf32>) outs(%t : memref<?x?xf8E8M0FNU>) block = 1x128
}

// -----

mx.kernel @ranks(%s: memref<?x?xf32>, %t: memref<?x?x?xf32>) {
  // expected-error @+1 {{source and destination must have one rank, found 'memref<?x?xf32>' and 'memref<?x?x?xf32>' [S4]}}
  mx.convert_scales ins(%s : memref<?x?xf32>) outs(%t : memref<?x?x?xf32>)
}

// -----

mx.kernel @batches(%s: memref<2x?x?xf32>, %t: memref<3x?x?xf32>) {
  // expected-error @+1 {{source must have 3 matrices of the destination's 3, found 'memref<2x?x?xf32>' [S4]}}
  mx.convert_scales ins(%s : memref<2x?x?xf32>) outs(%t : memref<3x?x?xf32>)
}

// -----

!foreign = memref<?x?xf8E8M0FNU, #mx.scale_layout<padded>>
mx.kernel @quantized(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: !foreign) {
  // expected-error @+1 {{the layout padded is another library's, which mx.convert_scales alone reads and writes, found 'memref<?x?xf8E8M0FNU, #mx.scale_layout<padded>>' [Q3]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, !foreign)
}

// -----

!given = memref<?x?xf8E8M0FNU, #mx.scale_layout<mn_packed>>
mx.kernel @dequantized(%q: memref<?x?xf8E4M3FN>, %s: !given, %x: memref<?x?xbf16>) {
  // expected-error @+1 {{the layout mn_packed is another library's, which mx.quantize writes and mx.convert_scales reads and writes, found 'memref<?x?xf8E8M0FNU, #mx.scale_layout<mn_packed>>' [D2]}}
  mx.dequantize ins(%q, %s : memref<?x?xf8E4M3FN>, !given) outs(%x : memref<?x?xbf16>)
}
