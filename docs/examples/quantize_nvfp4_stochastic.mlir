// bf16 to NVFP4 along rows, rounded up or down by random bits, as gradients are. The bits follow from `random`, a seed and an
// offset in device memory, and from an element's place: the same launch gives the same codes with every tile, and a caller adds 1
// to the offset for each tensor. The rest is as in quantize_nvfp4.mlir.
//
//   mxc compile docs/examples/quantize_nvfp4_stochastic.mlir --target=sm_100a -o q.cubin
//   tools/dev/make-input x.safetensors x=256x4096 tensor_scale=[0.004] random=[7,0]:i64
//   mxc run docs/examples/quantize_nvfp4_stochastic.mlir --device=cuda:0 --input x.safetensors --output q.safetensors --verify

!values = memref<?x?xbf16>
!one = memref<1xf32>
!random = memref<2xi64>
!codes = memref<?x?xf4E2M1FN>
!scales = memref<?x?xf8E4M3FN, #mx.scale_layout<tcgen05>>

mx.kernel @quantize_nvfp4_stochastic(%x: !values, %tensor_scale: !one, %random: !random, %q: !codes, %s: !scales) {
  mx.quantize ins(%x : !values) tensor_scale(%tensor_scale : !one) random(%random : !random) outs(%q, %s : !codes, !scales)
      special = propagate
}
