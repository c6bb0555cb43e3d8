// bf16 to NVFP4 along rows: e2m1 elements, two a byte, ue4m3 scales of 16 of them in the layout that tcgen05 block-scaled MMA
// reads, and above these one f32 for the whole tensor, which the caller has on the device: its largest magnitude / 2688. A value
// is code * s * tensor_scale. Any M, any even K.
//
//   mxc compile docs/examples/quantize_nvfp4.mlir --target=sm_100a -o q.cubin
//   tools/dev/make-input x.safetensors x=256x4096 tensor_scale=[0.004]
//   mxc run docs/examples/quantize_nvfp4.mlir --device=cuda:0 --input x.safetensors --output q.safetensors --verify

!values = memref<?x?xbf16>
!one = memref<1xf32>
!codes = memref<?x?xf4E2M1FN>
!scales = memref<?x?xf8E4M3FN, #mx.scale_layout<tcgen05>>

mx.kernel @quantize_nvfp4(%x: !values, %tensor_scale: !one, %q: !codes, %s: !scales) {
  mx.quantize ins(%x : !values) tensor_scale(%tensor_scale : !one) outs(%q, %s : !codes, !scales) special = propagate
}
