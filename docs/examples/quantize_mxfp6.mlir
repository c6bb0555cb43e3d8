// bf16 to MXFP6 along rows: e2m3 elements, four codes in three bytes, the first in the lowest bits, and ue8m0 scales of 32 of
// them, straight in the layout that tcgen05 block-scaled MMA reads. f6E3M2FN in place of f6E2M3FN gives e3m2, with more range
// and less precision. Any M, any K that is a multiple of 4: rows of codes are whole bytes.
//
//   mxc compile docs/examples/quantize_mxfp6.mlir --target=sm_100a -o q.cubin
//   mxc run docs/examples/quantize_mxfp6.mlir --device=cuda:0 --input x.safetensors --output q.safetensors --verify

!values = memref<?x?xbf16>
!codes = memref<?x?xf6E2M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>

mx.kernel @quantize_mxfp6(%x: !values, %q: !codes, %s: !scales) {
  mx.quantize ins(%x : !values) outs(%q, %s : !codes, !scales) axis = row rounding = ceil special = propagate
}
