// The products of a mixture of experts in MXFP8: tokens in the order of their experts, each group times its expert's
// weights, c[rows of g] = a[rows of g] b[g]^T. Group g has the rows from roundup(ends[g - 1], 128) to ends[g], none if that
// is not more; `ends` lies on the device. Rows in between may hold anything in a, and are not written in c. The scales
// of a are what mx.quantize with groups(%ends) and align = 128 writes; those of b are a batch's: every expert's begin at a
// tile of their own.
//
//   mxc compile docs/examples/grouped_matmul.mlir --target=sm_100a -o grouped_matmul.cubin
//   tools/dev/make-input in.safetensors a=512x256:e4m3 sa=4096:u8 b=3x256x256:e4m3 sb=6144:u8 ends=[100,356,500]

!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
!weights = memref<?x?x?xf8E4M3FN>
!weight_scales = memref<?x?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
!ends = memref<?xi32>
!result = memref<?x?xbf16>

mx.kernel @grouped_matmul(%a: !codes, %sa: !scales, %b: !weights, %sb: !weight_scales, %ends: !ends, %c: !result) {
  mx.grouped_matmul ins(%a, %sa, %b, %sb : !codes, !scales, !weights, !weight_scales) groups(%ends : !ends)
                    outs(%c : !result) align = 128
}
