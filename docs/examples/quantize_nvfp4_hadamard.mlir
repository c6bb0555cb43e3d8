// bf16 to NVFP4 along rows, every 16 elements times a Hadamard matrix first: an outlier spreads over its block. Both operands
// of a product are quantized so. tensor_scale is that of the transformed values. The rest is as in quantize_nvfp4.mlir.
//
//   mxc compile docs/examples/quantize_nvfp4_hadamard.mlir --target=sm_100a -o q.cubin
//   tools/dev/make-input x.safetensors x=256x4096 tensor_scale=[0.004]
//   mxc run docs/examples/quantize_nvfp4_hadamard.mlir --device=cuda:0 --input x.safetensors --output q.safetensors --verify

!values = memref<?x?xbf16>
!one = memref<1xf32>
!codes = memref<?x?xf4E2M1FN>
!scales = memref<?x?xf8E4M3FN, #mx.scale_layout<tcgen05>>

mx.kernel @quantize_nvfp4_hadamard(%x: !values, %tensor_scale: !one, %q: !codes, %s: !scales) {
  mx.quantize ins(%x : !values) tensor_scale(%tensor_scale : !one) outs(%q, %s : !codes, !scales) special = propagate hadamard = 16
}
