// The products of grouped_matmul.mlir with tokens that nobody permuted: a has each token once, [T, K], with the scales that
// mx.quantize gives it, and index says which token each row of the groups is. -1 stands for a row of zeros. c is, byte for
// byte, what grouped_matmul.mlir makes of rows that were gathered beforehand.
//
//   mxc compile docs/examples/grouped_matmul_gather.mlir --target=sm_90a -o grouped_matmul_gather.cubin

!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
!weights = memref<?x?x?xf8E4M3FN>
!weight_scales = memref<?x?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
!places = memref<?xi32>
!result = memref<?x?xbf16>

mx.kernel @grouped_matmul(%a: !codes, %sa: !scales, %b: !weights, %sb: !weight_scales, %ends: !places, %index: !places, %c: !result) {
  mx.grouped_matmul ins(%a, %sa, %b, %sb : !codes, !scales, !weights, !weight_scales) groups(%ends : !places)
                    gather(%index : !places) outs(%c : !result) align = 1
}
