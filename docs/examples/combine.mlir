// The experts' results back to their tokens: row t of y is the sum over j of weights[t, j] * h[rows[t, j]], in the order of j and
// in f32. rows names up to 16 rows of h for each token; what is no row (-1) counts as nothing.
//
//   mxc compile docs/examples/combine.mlir --target=sm_100a -o combine.cubin

!values = memref<?x?xbf16>
!rows = memref<?x8xi32>
!weights = memref<?x8xf32>

mx.kernel @combine(%h: !values, %rows: !rows, %weights: !weights, %y: !values) {
  mx.combine ins(%h : !values) gather(%rows : !rows) weights(%weights : !weights) outs(%y : !values)
}
