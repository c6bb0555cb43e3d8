// c = alpha * a b^T, both operands in MXFP4: e2m1 elements, two a byte, with one ue8m0 scale for every 32 of them along K, in the
// order that the tensor cores read (what quantize_mxfp4.mlir writes); alpha is an f32 on the device. Any M and N, any even K.
//
//   mxc compile docs/examples/matmul_mxfp4.mlir --target=sm_100a -o matmul.cubin

!codes = memref<?x?xf4E2M1FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
!one = memref<1xf32>
!result = memref<?x?xbf16>

mx.kernel @matmul_mxfp4(%a: !codes, %sa: !scales, %b: !codes, %sb: !scales, %alpha: !one, %c: !result) {
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !scales, !codes, !scales) alpha(%alpha : !one) outs(%c : !result)
}
