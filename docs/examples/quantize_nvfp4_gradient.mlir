// A gradient for NVFP4 training, from one reading: q along rows, for the product that gives the inputs' gradient; qt along columns, [K, M],
// every 16 rows times a Hadamard matrix first, for the one that gives the weight's. Both are rounded by random bits of their own, and
// `bias` has the sums of columns, the bias's gradient. Each copy has an amax: of dy, and of dy transformed, as `amax` of another launch
// gives them (here it gives them again); tensor scales are these / 2688.
//
//   mxc compile docs/examples/quantize_nvfp4_gradient.mlir --target=sm_100a -o q.cubin
//   tools/dev/make-input x.safetensors dy=256x4096 amax=[10.5,9.25] random=[7,0]:i64
//   mxc run docs/examples/quantize_nvfp4_gradient.mlir --device=cuda:0 --input x.safetensors --output q.safetensors --verify

!values = memref<?x?xbf16>
!two = memref<2xf32>
!random = memref<2xi64>
!codes = memref<?x?xf4E2M1FN>
!scales = memref<?x?xf8E4M3FN, #mx.scale_layout<tcgen05>>

mx.kernel @quantize_nvfp4_gradient(%dy: !values, %amax: !two, %random: !random, %q: !codes, %s: !scales, %qt: !codes, %st: !scales,
                                   %found: !two, %bias: memref<?xf32>) {
  mx.quantize ins(%dy : !values) tensor_amax(%amax : !two) random(%random : !random)
      outs(%q, %s, %qt, %st : !codes, !scales, !codes, !scales) amax(%found : !two) column_sum(%bias : memref<?xf32>)
      axis = both compat = "te" hadamard = 16 along column
}
