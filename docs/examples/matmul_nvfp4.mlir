// c = alpha * a b^T, both operands in NVFP4: e2m1 elements, two a byte, with one ue4m3 scale for every 16 of them along K, in the
// order that the tensor cores read (what quantize_nvfp4.mlir writes). alpha, an f32 on the device, is the product of the operands'
// tensor scales. Any M and N, any even K.
//
//   mxc compile docs/examples/matmul_nvfp4.mlir --target=sm_100a -o matmul.cubin

!codes = memref<?x?xf4E2M1FN>
!scales = memref<?x?xf8E4M3FN, #mx.scale_layout<tcgen05>>
!one = memref<1xf32>
!result = memref<?x?xbf16>

mx.kernel @matmul_nvfp4(%a: !codes, %sa: !scales, %b: !codes, %sb: !scales, %alpha: !one, %c: !result) {
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !scales, !codes, !scales) alpha(%alpha : !one) outs(%c : !result)
}
