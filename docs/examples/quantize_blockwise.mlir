// bf16 to FP8 in blocks of 1x128, DeepSeek's recipe for activations: e4m3 elements and one f32 scale for every 128 of them along a
// row. The scales of a block's column lie side by side (MN-major, [ceildiv(K, 128), roundup(M, 4)]), as the product's tensor maps
// read them. Any M, any K.
//
//   mxc compile docs/examples/quantize_blockwise.mlir --target=sm_90a -o q.cubin
//   mxc run docs/examples/quantize_blockwise.mlir --device=cuda:0 --input x.safetensors --output q.safetensors --verify

!values = memref<?x?xbf16>
!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf32, #mx.scale_layout<mn_major>>

mx.kernel @quantize_blockwise(%x: !values, %q: !codes, %s: !scales) {
  mx.quantize ins(%x : !values) outs(%q, %s : !codes, !scales) axis = row
}
