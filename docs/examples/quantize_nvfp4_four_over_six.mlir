// bf16 to NVFP4 along rows, with two scales for each block to choose from: its largest element becomes 6 or 4, whichever has the
// smaller squared error. tensor_scale is the largest magnitude / (6 * 256), so that the largest blocks have the choice, too. The
// rest is as in quantize_nvfp4.mlir.
//
//   mxc compile docs/examples/quantize_nvfp4_four_over_six.mlir --target=sm_100a -o q.cubin
//   tools/dev/make-input x.safetensors x=256x4096 tensor_scale=[0.007]
//   mxc run docs/examples/quantize_nvfp4_four_over_six.mlir --device=cuda:0 --input x.safetensors --output q.safetensors --verify

!values = memref<?x?xbf16>
!one = memref<1xf32>
!codes = memref<?x?xf4E2M1FN>
!scales = memref<?x?xf8E4M3FN, #mx.scale_layout<tcgen05>>

mx.kernel @quantize_nvfp4_four_over_six(%x: !values, %tensor_scale: !one, %q: !codes, %s: !scales) {
  mx.quantize ins(%x : !values) tensor_scale(%tensor_scale : !one) outs(%q, %s : !codes, !scales) four_over_six = mse
}
