// The products of a mixture of experts in DeepSeek's recipe: tokens in the order of their experts, each group times its
// expert's weights, c[rows of g] = a[rows of g] b[g]^T. a has an f32 scale for every 128 elements of a row, as mx.quantize
// with groups(%ends) and block = 1x128 writes them, each expert's weights one for every block of 128 x 128. On sm_90a it runs
// at FP8's full rate. With align = 1 groups lie side by side, and group g's scales begin at row
// 128 (ends[g - 1] / 128 + g) of sa; with align = 128, at multiples of 128 rows, they lie as a matrix's.
//
//   mxc compile docs/examples/grouped_matmul_blockwise.mlir --target=sm_90a -o grouped_matmul_blockwise.cubin
//   tools/dev/make-input in.safetensors a=500x256:e4m3 sa=2x768:f32 b=3x256x256:e4m3 sb=3x2x2:f32 ends=[100,356,500]

!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf32, #mx.scale_layout<mn_major>>
!weights = memref<?x?x?xf8E4M3FN>
!weight_scales = memref<?x?x?xf32>
!ends = memref<?xi32>
!result = memref<?x?xbf16>

mx.kernel @grouped_matmul_blockwise(%a: !codes, %sa: !scales, %b: !weights, %sb: !weight_scales, %ends: !ends, %c: !result) {
  mx.grouped_matmul ins(%a, %sa, %b, %sb : !codes, !scales, !weights, !weight_scales) groups(%ends : !ends)
                    outs(%c : !result) align = 1 block = 1x128 by 128x128
}
