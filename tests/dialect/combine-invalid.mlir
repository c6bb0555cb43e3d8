// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @dynamic(%h: memref<?x?xbf16>, %rows: memref<?x?xi32>, %y: memref<?x?xbf16>) {
  // expected-error @+1 {{rows must be i32 [M, k] with a number k from 1 to 16, found 'memref<?x?xi32>' [C1]}}
  mx.combine ins(%h : memref<?x?xbf16>) gather(%rows : memref<?x?xi32>) outs(%y : memref<?x?xbf16>)
}

// -----

mx.kernel @many(%dy: memref<?x?xbf16>, %h: memref<?x?xbf16>, %rows: memref<?x17xi32>, %dw: memref<?x17xf32>) {
  // expected-error @+1 {{with a number k from 1 to 16, found 'memref<?x17xi32>' [C1]}}
  mx.gather_dot ins(%dy, %h : memref<?x?xbf16>, memref<?x?xbf16>) gather(%rows : memref<?x17xi32>) outs(%dw : memref<?x17xf32>)
}

// -----

mx.kernel @type(%h: memref<?x?xbf16>, %rows: memref<?x8xi64>, %y: memref<?x?xbf16>) {
  // expected-error @+1 {{must be rows that are named, memref<?x8xi32> [C1]}}
  mx.combine ins(%h : memref<?x?xbf16>) gather(%rows : memref<?x8xi64>) outs(%y : memref<?x?xbf16>)
}

// -----

mx.kernel @weights(%h: memref<?x?xbf16>, %rows: memref<?x8xi32>, %w: memref<?x4xf32>, %y: memref<?x?xbf16>) {
  // expected-error @+1 {{weights must have the shape of the rows, 'memref<?x8xi32>', found 'memref<?x4xf32>' [C2]}}
  mx.combine ins(%h : memref<?x?xbf16>) gather(%rows : memref<?x8xi32>) weights(%w : memref<?x4xf32>) outs(%y : memref<?x?xbf16>)
}

// -----

mx.kernel @dots(%dy: memref<?x?xbf16>, %h: memref<?x?xbf16>, %rows: memref<5x8xi32>, %dw: memref<6x8xf32>) {
  // expected-error @+1 {{the result must have the shape of the rows, 'memref<5x8xi32>', found 'memref<6x8xf32>' [C2]}}
  mx.gather_dot ins(%dy, %h : memref<?x?xbf16>, memref<?x?xbf16>) gather(%rows : memref<5x8xi32>) outs(%dw : memref<6x8xf32>)
}

// -----

mx.kernel @columns(%h: memref<?x64xbf16>, %rows: memref<?x8xi32>, %y: memref<?x96xbf16>) {
  // expected-error @+1 {{the result must be [M, K] with rows of 'memref<?x8xi32>' and columns of 'memref<?x64xbf16>', found 'memref<?x96xbf16>' [C3]}}
  mx.combine ins(%h : memref<?x64xbf16>) gather(%rows : memref<?x8xi32>) outs(%y : memref<?x96xbf16>)
}

// -----

mx.kernel @rows(%dy: memref<7x?xbf16>, %h: memref<?x?xbf16>, %rows: memref<8x8xi32>, %dw: memref<8x8xf32>) {
  // expected-error @+1 {{the first operand must be [M, K] with rows of 'memref<8x8xi32>' and columns of 'memref<?x?xbf16>', found 'memref<7x?xbf16>' [C3]}}
  mx.gather_dot ins(%dy, %h : memref<7x?xbf16>, memref<?x?xbf16>) gather(%rows : memref<8x8xi32>) outs(%dw : memref<8x8xf32>)
}
