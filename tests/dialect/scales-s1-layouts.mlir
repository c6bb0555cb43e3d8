// RUN: mxc-opt %s -split-input-file -verify-diagnostics

#tiles = #mx.scale_layout<tcgen05>
mx.kernel @pack_from_tiles(%a: memref<?x?xf8E8M0FNU, #tiles>, %b: memref<?x?xf8E8M0FNU, #tiles>) {
  // expected-error @+1 {{source must have layout dense, found 'memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>' [S1]}}
  mx.pack_scales ins(%a : memref<?x?xf8E8M0FNU, #tiles>) outs(%b : memref<?x?xf8E8M0FNU, #tiles>)
}

// -----

mx.kernel @pack_to_dense(%a: memref<?x?xf8E8M0FNU>, %b: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{destination must have layout tcgen05, found 'memref<?x?xf8E8M0FNU>' [S1]}}
  mx.pack_scales ins(%a : memref<?x?xf8E8M0FNU>) outs(%b : memref<?x?xf8E8M0FNU>)
}

// -----

mx.kernel @unpack_from_dense(%a: memref<?x?xf8E8M0FNU>, %b: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{source must have layout tcgen05, found 'memref<?x?xf8E8M0FNU>' [S1]}}
  mx.unpack_scales ins(%a : memref<?x?xf8E8M0FNU>) outs(%b : memref<?x?xf8E8M0FNU>)
}

// -----

#tiles = #mx.scale_layout<tcgen05>
mx.kernel @unpack_to_strided(%a: memref<?x?xf8E8M0FNU, #tiles>, %b: memref<?x?xf8E8M0FNU, strided<[?, 1]>>) {
  // expected-error @+1 {{destination must have layout dense, found 'memref<?x?xf8E8M0FNU, strided<[?, 1]>>' [S1]}}
  mx.unpack_scales ins(%a : memref<?x?xf8E8M0FNU, #tiles>) outs(%b : memref<?x?xf8E8M0FNU, strided<[?, 1]>>)
}

// -----

mx.kernel @no_scales(%a: memref<?x?xf8E4M3FN>, %b: memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) {
  // expected-error @+1 {{source and destination must have one type of scales, found 'f8E4M3FN' and 'f8E8M0FNU' [S2]}}
  mx.pack_scales ins(%a : memref<?x?xf8E4M3FN>) outs(%b : memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>)
}
