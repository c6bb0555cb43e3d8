// What no pattern takes is named, instead of failing somewhere later.
// RUN: mxc-opt --mx-lower-tile-ops -verify-diagnostics %s

mx.kernel @pack(%d: memref<?x?xf8E8M0FNU>, %t: memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) {
  // expected-error @+1 {{'mx.pack_scales' op was not lowered}}
  mx.pack_scales ins(%d : memref<?x?xf8E8M0FNU>) outs(%t : memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>)
}
