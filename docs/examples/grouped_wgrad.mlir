// The gradients of the experts' weights in MXFP8: of each group of tokens dW[g] = dy[rows of g]^T x[rows of g]. Group g has the
// tokens from roundup(ends[g - 1], 128) to ends[g], none if that is not more; `ends` lies on the device. a is dy and b is x
// quantized along columns, [features, tokens], as mx.quantize with groups(%ends) and align = 128 writes them: tokens in
// between are zeros. An empty group's gradient is zero.
//
//   mxc compile docs/examples/grouped_wgrad.mlir --target=sm_100a -o grouped_wgrad.cubin

!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
!ends = memref<?xi32>
!gradients = memref<?x?x?xf32>

mx.kernel @grouped_wgrad(%a: !codes, %sa: !scales, %b: !codes, %sb: !scales, %ends: !ends, %c: !gradients) {
  mx.grouped_matmul ins(%a, %sa, %b, %sb : !codes, !scales, !codes, !scales) groups(%ends : !ends)
                    outs(%c : !gradients) ragged = k align = 128
}
