// bf16 to FP8 in blocks of 128 in both directions from one reading: q [M, K] with an f32 for every 1x128, for products that sum over K,
// and qt [K, M], the transposed copy with an f32 for every 128 rows of a column, for one that sums over M (a weight gradient). The scales
// of both lie as matmul_blockwise.mlir's tensor maps read them: s [ceildiv(K, 128), roundup(M, 4)], st [ceildiv(M, 128), roundup(K, 4)].
//
//   mxc compile docs/examples/quantize_blockwise_both.mlir --target=sm_90a -o q.cubin
//   mxc run docs/examples/quantize_blockwise_both.mlir --device=cuda:0 --input x.safetensors --output q.safetensors --verify

!values = memref<?x?xbf16>
!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf32, #mx.scale_layout<mn_major>>

mx.kernel @quantize_blockwise_both(%x: !values, %q: !codes, %s: !scales, %qt: !codes, %st: !scales) {
  mx.quantize ins(%x : !values) outs(%q, %s, %qt, %st : !codes, !scales, !codes, !scales) axis = both
}
