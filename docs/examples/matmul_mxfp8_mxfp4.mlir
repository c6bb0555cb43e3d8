// c = alpha * a b^T, a in MXFP8 (activations), b in MXFP4 (weights, two e2m1 a byte), each with one ue8m0 scale for every 32
// elements along K, in the order that the tensor cores read: what quantize.mlir and quantize_mxfp4.mlir write. alpha is an f32
// on the device. Any M and N, any even K; on Blackwell tensor maps bring operands where K is a multiple of 128. a may be the
// operand of 4 bits as well.
//
//   mxc compile docs/examples/matmul_mxfp8_mxfp4.mlir --target=sm_100a -o matmul.cubin

!activations = memref<?x?xf8E4M3FN>
!weights = memref<?x?xf4E2M1FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
!one = memref<1xf32>
!result = memref<?x?xbf16>

mx.kernel @matmul_mxfp8_mxfp4(%a: !activations, %sa: !scales, %b: !weights, %sb: !scales, %alpha: !one, %c: !result) {
  mx.matmul ins(%a, %sa, %b, %sb : !activations, !scales, !weights, !scales) alpha(%alpha : !one) outs(%c : !result)
}
