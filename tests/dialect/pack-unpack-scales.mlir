// RUN: mxc-opt %s | mxc-opt | FileCheck %s
// RUN: mxc-opt --mlir-print-op-generic %s | mxc-opt | FileCheck %s

#tiles = #mx.scale_layout<tcgen05>

// CHECK-LABEL: mx.kernel @pack
mx.kernel @pack(%dense: memref<?x?xf8E8M0FNU>, %tiled: memref<?x?xf8E8M0FNU, #tiles>) {
  // CHECK-NEXT: mx.pack_scales ins(%dense : memref<?x?xf8E8M0FNU>) outs(%tiled : memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>)
  mx.pack_scales ins(%dense : memref<?x?xf8E8M0FNU>) outs(%tiled : memref<?x?xf8E8M0FNU, #tiles>)
}

// CHECK-LABEL: mx.kernel @unpack
mx.kernel @unpack(%tiled: memref<100x3xf8E8M0FNU, #tiles>, %dense: memref<100x?xf8E8M0FNU, #mx.scale_layout<dense>>) {
  // CHECK-NEXT: mx.unpack_scales ins(%tiled : memref<100x3xf8E8M0FNU, #mx.scale_layout<tcgen05>>) outs(%dense : memref<100x?xf8E8M0FNU, #mx.scale_layout<dense>>) {note = "kept"}
  mx.unpack_scales ins(%tiled : memref<100x3xf8E8M0FNU, #tiles>) outs(%dense : memref<100x?xf8E8M0FNU, #mx.scale_layout<dense>>) {note = "kept"}
}
