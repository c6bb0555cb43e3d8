// The gradients of the experts' weights in DeepSeek's recipe: of each group of tokens dW[g] = dy[rows of g]^T x[rows of g], a
// being dy and b being x quantized along columns, [features, tokens], as mx.quantize with groups(%ends), align = 128 and
// block = 1x128 writes them: an f32 scale for every 128 tokens of a feature, and zeros between the groups. Group g has the
// tokens from roundup(ends[g - 1], 128) to ends[g]; an empty group's gradient is zero. On sm_90a it runs at FP8's full rate.
//
//   mxc compile docs/examples/grouped_wgrad_blockwise.mlir --target=sm_90a -o grouped_wgrad_blockwise.cubin

!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf32, #mx.scale_layout<mn_major>>
!ends = memref<?xi32>
!gradients = memref<?x?x?xf32>

mx.kernel @grouped_wgrad_blockwise(%a: !codes, %sa: !scales, %b: !codes, %sb: !scales, %ends: !ends, %c: !gradients) {
  mx.grouped_matmul ins(%a, %sa, %b, %sb : !codes, !scales, !codes, !scales) groups(%ends : !ends)
                    outs(%c : !gradients) ragged = k align = 128 block = 1x128
}
