// RUN: mxc-opt %s -split-input-file -verify-diagnostics

#tiles = #mx.scale_layout<tcgen05>
mx.kernel @pack(%a: memref<16x?xf8E8M0FNU>, %b: memref<128x?xf8E8M0FNU, #tiles>) {
  // expected-error @+1 {{the destination must have the shape of the source 'memref<16x?xf8E8M0FNU>', found 'memref<128x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>' [S2]}}
  mx.pack_scales ins(%a : memref<16x?xf8E8M0FNU>) outs(%b : memref<128x?xf8E8M0FNU, #tiles>)
}

// -----

#tiles = #mx.scale_layout<tcgen05>
mx.kernel @unpack(%a: memref<?x4xf8E8M0FNU, #tiles>, %b: memref<?x3xf8E8M0FNU>) {
  // expected-error @+1 {{the destination must have the shape of the source 'memref<?x4xf8E8M0FNU, #mx.scale_layout<tcgen05>>', found 'memref<?x3xf8E8M0FNU>' [S2]}}
  mx.unpack_scales ins(%a : memref<?x4xf8E8M0FNU, #tiles>) outs(%b : memref<?x3xf8E8M0FNU>)
}
