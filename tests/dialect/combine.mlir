// RUN: mxc-opt %s | mxc-opt | FileCheck %s
// RUN: mxc-opt --mlir-print-op-generic %s | mxc-opt | FileCheck %s

// CHECK: mx.combine ins(%h : memref<?x?xbf16>) gather(%rows : memref<?x8xi32>) weights(%w : memref<?x8xf32>) outs(%y : memref<?x?xbf16>)
mx.kernel @weighted(%h: memref<?x?xbf16>, %rows: memref<?x8xi32>, %w: memref<?x8xf32>, %y: memref<?x?xbf16>) {
  mx.combine ins(%h : memref<?x?xbf16>) gather(%rows : memref<?x8xi32>) weights(%w : memref<?x8xf32>) outs(%y : memref<?x?xbf16>)
}
// CHECK: mx.combine ins(%h : memref<100x64xf32>) gather(%rows : memref<10x1xi32>) outs(%y : memref<10x64xf16>) {note = "kept"}
mx.kernel @plain(%h: memref<100x64xf32>, %rows: memref<10x1xi32>, %y: memref<10x64xf16>) {
  mx.combine ins(%h : memref<100x64xf32>) gather(%rows : memref<10x1xi32>) outs(%y : memref<10x64xf16>) {note = "kept"}
}
// CHECK: mx.gather_dot ins(%dy, %h : memref<?x?xbf16>, memref<?x?xf32>) gather(%rows : memref<?x16xi32>) outs(%dw : memref<?x16xf32>)
mx.kernel @dots(%dy: memref<?x?xbf16>, %h: memref<?x?xf32>, %rows: memref<?x16xi32>, %dw: memref<?x16xf32>) {
  mx.gather_dot ins(%dy, %h : memref<?x?xbf16>, memref<?x?xf32>) gather(%rows : memref<?x16xi32>) outs(%dw : memref<?x16xf32>)
}
