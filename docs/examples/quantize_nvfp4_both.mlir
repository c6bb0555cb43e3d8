// bf16 to NVFP4 along rows, q, and along columns, qt [K, M], from one reading: operands of the product that sums over K and of the one that
// sums over M, which tensor cores read K-major alone. Scales of 16 elements, in the layout that tcgen05 block-scaled MMA reads; one f32 for
// the whole tensor, its largest magnitude / 2688, is on the device. Any even M, any even K.
//
//   mxc compile docs/examples/quantize_nvfp4_both.mlir --target=sm_100a -o q.cubin
//   tools/dev/make-input x.safetensors x=256x4096 tensor_scale=[0.004]
//   mxc run docs/examples/quantize_nvfp4_both.mlir --device=cuda:0 --input x.safetensors --output q.safetensors --verify

!values = memref<?x?xbf16>
!one = memref<1xf32>
!codes = memref<?x?xf4E2M1FN>
!scales = memref<?x?xf8E4M3FN, #mx.scale_layout<tcgen05>>

mx.kernel @quantize_nvfp4_both(%x: !values, %tensor_scale: !one, %q: !codes, %s: !scales, %qt: !codes, %st: !scales) {
  mx.quantize ins(%x : !values) tensor_scale(%tensor_scale : !one) outs(%q, %s, %qt, %st : !codes, !scales, !codes, !scales) axis = both
}
