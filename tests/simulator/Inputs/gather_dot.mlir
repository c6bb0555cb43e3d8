// The gradients of three experts' weights.
!rows = memref<?x3xi32>
!dots = memref<?x3xf32>

mx.kernel @gather_dot(%dy: memref<?x?xbf16>, %h: memref<?x?xbf16>, %rows: !rows, %dw: !dots) {
  mx.gather_dot ins(%dy, %h : memref<?x?xbf16>, memref<?x?xbf16>) gather(%rows : !rows) outs(%dw : !dots)
}
