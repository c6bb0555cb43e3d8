// bf16 to MXFP8 in both directions from one reading: q [M, K] along rows for a product that sums over K, and qt [K, M], the
// transposed copy along columns, for one that sums over M. Both scales lie as tcgen05 block-scaled MMA reads them.
//
//   mxc compile docs/examples/quantize_both.mlir --target=sm_100a -o q.cubin
//   mxc run docs/examples/quantize_both.mlir --device=cuda:0 --input x.safetensors --output q.safetensors --verify

!values = memref<?x?xbf16>
!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>

mx.kernel @quantize_both(%x: !values, %q: !codes, %s: !scales, %qt: !codes, %st: !scales) {
  mx.quantize ins(%x : !values) outs(%q, %s, %qt, %st : !codes, !scales, !codes, !scales)
      axis = both rounding = ceil special = propagate
}
