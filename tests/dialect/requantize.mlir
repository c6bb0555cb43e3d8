// RUN: mxc-opt %s | mxc-opt | FileCheck %s
// RUN: mxc-opt --mlir-print-op-generic %s | mxc-opt | FileCheck %s

!codes = memref<?x?xf8E4M3FN>
!bytes = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
!lines = memref<?x?xf32, #mx.scale_layout<mn_major>>

// CHECK-LABEL: mx.kernel @counted
mx.kernel @counted(%q: !codes, %s: !bytes, %r: !codes, %t: !lines, %n: memref<1xi64>, %e: memref<1xf32>) {
  // CHECK-NEXT: mx.requantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) outs(%r, %t : memref<?x?xf8E4M3FN>, memref<?x?xf32, #mx.scale_layout<mn_major>>) inexact(%n : memref<1xi64>) error(%e : memref<1xf32>) tiles = [#mx.quantize_tile<{{.*}}lane_elements = 16, {{.*}}>]
  mx.requantize ins(%q, %s : !codes, !bytes) outs(%r, %t : !codes, !lines) inexact(%n : memref<1xi64>) error(%e : memref<1xf32>) tiles = [#mx.quantize_tile<lane_elements = 16>]
}

// CHECK-LABEL: mx.kernel @measured
mx.kernel @measured(%q: memref<?x?xf8E5M2>, %s: memref<?x?xf8E8M0FNU>, %r: memref<?x?xf8E5M2>, %t: memref<?x?xf32>, %e: memref<1xf32>) {
  // CHECK-NEXT: mx.requantize ins({{.*}}) outs({{.*}}) error(%e : memref<1xf32>) {note = "kept"}
  mx.requantize ins(%q, %s : memref<?x?xf8E5M2>, memref<?x?xf8E8M0FNU>) outs(%r, %t : memref<?x?xf8E5M2>, memref<?x?xf32>) error(%e : memref<1xf32>) {note = "kept"}
}

// CHECK-LABEL: mx.kernel @two_levels
mx.kernel @two_levels(%q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E8M0FNU>, %u: memref<1xf32>, %r: memref<?x?xf4E2M1FN>, %t: memref<?x?xf8E4M3FN, #mx.scale_layout<tcgen05>>) {
  // CHECK-NEXT: mx.requantize ins(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU>) tensor_scale(%u : memref<1xf32>) outs(%r, %t : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN, #mx.scale_layout<tcgen05>>)
  mx.requantize ins(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU>) tensor_scale(%u : memref<1xf32>)
      outs(%r, %t : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN, #mx.scale_layout<tcgen05>>)
}
