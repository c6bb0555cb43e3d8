// bf16 to MXFP4 along rows: e2m1 elements, two a byte, and ue8m0 scales of 32 of them, straight in the layout that tcgen05
// block-scaled MMA (and cuBLAS "1D block scaling") reads. Any M, any even K: rows of codes are whole bytes.
//
//   mxc compile docs/examples/quantize_mxfp4.mlir --target=sm_100a -o q.cubin
//   mxc run docs/examples/quantize_mxfp4.mlir --device=cuda:0 --input x.safetensors --output q.safetensors --verify

!values = memref<?x?xbf16>
!codes = memref<?x?xf4E2M1FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>

mx.kernel @quantize_mxfp4(%x: !values, %q: !codes, %s: !scales) {
  mx.quantize ins(%x : !values) outs(%q, %s : !codes, !scales) axis = row rounding = ceil special = propagate
}
