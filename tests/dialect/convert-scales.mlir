// RUN: mxc-opt %s | mxc-opt | FileCheck %s
// RUN: mxc-opt --mlir-print-op-generic %s | mxc-opt | FileCheck %s

// CHECK-LABEL: mx.kernel @blocks
mx.kernel @blocks(%s: memref<?x?xf32, #mx.scale_layout<mn_major>>, %t: memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>, %n: memref<1xi64>) {
  // CHECK-NEXT: mx.convert_scales ins(%s : memref<?x?xf32, #mx.scale_layout<mn_major>>) outs(%t : memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) inexact(%n : memref<1xi64>) block = 1x128 to 1x32 {note = "kept"}
  mx.convert_scales ins(%s : memref<?x?xf32, #mx.scale_layout<mn_major>>) outs(%t : memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) inexact(%n : memref<1xi64>) block = 1x128 to 1x32 {note = "kept"}
}

// CHECK-LABEL: mx.kernel @weights
mx.kernel @weights(%s: memref<3x2xf32, #mx.scale_layout<padded>>, %t: memref<300x7xf8E8M0FNU, #mx.scale_layout<mn_packed>>) {
  // CHECK-NEXT: mx.convert_scales ins(%s : memref<3x2xf32, #mx.scale_layout<padded>>) outs(%t : memref<300x7xf8E8M0FNU, #mx.scale_layout<mn_packed>>) block = 128x128 to 1x32
  mx.convert_scales ins(%s : memref<3x2xf32, #mx.scale_layout<padded>>) outs(%t : memref<300x7xf8E8M0FNU, #mx.scale_layout<mn_packed>>) block = 128x128 to 1x32
}

// CHECK-LABEL: mx.kernel @batch
mx.kernel @batch(%s: memref<?x?x?xf32>, %t: memref<?x?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) {
  // CHECK-NEXT: mx.convert_scales ins(%s : memref<?x?x?xf32>) outs(%t : memref<?x?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) block = 128x128 to 1x32
  mx.convert_scales ins(%s : memref<?x?x?xf32>) outs(%t : memref<?x?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) block = 128x128 to 1x32
}

// CHECK-LABEL: mx.kernel @copy
mx.kernel @copy(%s: memref<?x?xf8E4M3FN, #mx.scale_layout<tcgen05>>, %t: memref<?x?xf8E4M3FN>) {
  // CHECK-NEXT: mx.convert_scales ins(%s : memref<?x?xf8E4M3FN, #mx.scale_layout<tcgen05>>) outs(%t : memref<?x?xf8E4M3FN>)
  mx.convert_scales ins(%s : memref<?x?xf8E4M3FN, #mx.scale_layout<tcgen05>>) outs(%t : memref<?x?xf8E4M3FN>)
}
