// The products of grouped_matmul.mlir, quantized where they are made: c in bf16, and beside it what mx.quantize with the same
// groups makes of the same f32, along rows for the next product (q, s) and along columns for gradients (qt, st).
//
//   mxc compile docs/examples/grouped_matmul_quantized.mlir --target=sm_100a -o grouped_matmul_quantized.cubin
//   tools/dev/make-input in.safetensors a=512x256:e4m3 sa=4096:u8 b=3x256x256:e4m3 sb=6144:u8 ends=[100,356,500]

!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
!weights = memref<?x?x?xf8E4M3FN>
!weight_scales = memref<?x?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
!ends = memref<?xi32>
!result = memref<?x?xbf16>

mx.kernel @grouped_matmul_quantized(%a: !codes, %sa: !scales, %b: !weights, %sb: !weight_scales, %ends: !ends, %c: !result,
                                    %q: !codes, %s: !scales, %qt: !codes, %st: !scales) {
  mx.grouped_matmul ins(%a, %sa, %b, %sb : !codes, !scales, !weights, !weight_scales) groups(%ends : !ends)
                    outs(%c, (%q, %s) {axis = row}, (%qt, %st) {axis = column} : !result, !codes, !scales, !codes, !scales)
                    align = 128 {
  ^bb0(%product: f32):
    mx.yield %product, %product, %product : f32, f32, f32
  }
}
