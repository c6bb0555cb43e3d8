// Kernel names become symbols of the image and entry points of PTX: the image's own symbols and PTX's predefined
// identifiers are taken.
// RUN: mxc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{[K5]}}
mx.kernel @__mxc_abi(%a: memref<?x?xf8E8M0FNU>, %b: memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) {
  mx.pack_scales ins(%a : memref<?x?xf8E8M0FNU>) outs(%b : memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>)
}

// -----

// expected-error @+1 {{[K5]}}
mx.kernel @__mxc_shared(%a: memref<?x?xf8E8M0FNU>, %b: memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) {
  mx.pack_scales ins(%a : memref<?x?xf8E8M0FNU>) outs(%b : memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>)
}

// -----

// expected-error @+1 {{[K5]}}
mx.kernel @WARP_SZ(%a: memref<?x?xf8E8M0FNU>, %b: memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) {
  mx.pack_scales ins(%a : memref<?x?xf8E8M0FNU>) outs(%b : memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>)
}

// -----

// expected-error @+1 {{[K5]}}
mx.kernel @_(%a: memref<?x?xf8E8M0FNU>, %b: memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) {
  mx.pack_scales ins(%a : memref<?x?xf8E8M0FNU>) outs(%b : memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>)
}
