// bf16 to MXFP8 along rows: e4m3 elements and ue8m0 scales, the scales straight in the layout that tcgen05 block-scaled
// MMA (and cuBLAS "1D block scaling") reads. Any M, any K.
//
//   mxc compile docs/examples/quantize.mlir --target=sm_100a -o q.cubin
//   mxc run docs/examples/quantize.mlir --device=cuda:0 --input x.safetensors --output q.safetensors --verify

!values = memref<?x?xbf16>
!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>

mx.kernel @quantize(%x: !values, %q: !codes, %s: !scales) {
  mx.quantize ins(%x : !values) outs(%q, %s : !codes, !scales) axis = row rounding = ceil special = propagate
}
