// bf16 to MXFP8 along columns, transposed: qt [K, M] and its scales are K-major operands of products that sum over M (a
// weight gradient), their scales in the layout that tcgen05 block-scaled MMA reads. Any M, any K. With `transpose = false`
// the codes lie as x does, [M, K]; the scales are the same.
//
//   mxc compile docs/examples/quantize_column.mlir --target=sm_100a -o q.cubin
//   mxc run docs/examples/quantize_column.mlir --device=cuda:0 --input x.safetensors --output q.safetensors --verify

!values = memref<?x?xbf16>
!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>

mx.kernel @quantize_column(%x: !values, %qt: !codes, %st: !scales) {
  mx.quantize ins(%x : !values) outs(%qt, %st : !codes, !scales) axis = column rounding = ceil special = propagate
}
