// Blocks of 128 rows of a column alone, transposed, as the second copy of docs/examples/quantize_blockwise_both.mlir: for timing.
!values = memref<?x?xbf16>
!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf32, #mx.scale_layout<mn_major>>

mx.kernel @blockwise_column(%x: !values, %qt: !codes, %st: !scales) {
  mx.quantize ins(%x : !values) outs(%qt, %st : !codes, !scales) axis = column
}
