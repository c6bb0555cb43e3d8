// c = a b^T in DeepSeek's recipe: e4m3 elements, one f32 scale for every 128 elements of a row of a (what
// quantize_blockwise.mlir writes) and for every block of 128 x 128 elements of b, the weights. On sm_90a it runs at
// FP8's full rate, about twice bf16's: the tensor core sums 128 products, which are then multiplied by both scales and
// added in f32. Any M, N and K.
//
//   mxc compile docs/examples/matmul_blockwise.mlir --target=sm_90a -o matmul_blockwise.cubin

!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf32, #mx.scale_layout<mn_major>>
!block_scales = memref<?x?xf32>
!result = memref<?x?xbf16>

mx.kernel @matmul_blockwise(%a: !codes, %sa: !scales, %b: !codes, %sb: !block_scales, %c: !result) {
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !scales, !codes, !block_scales) outs(%c : !result) block = 1x128 by 128x128
}
