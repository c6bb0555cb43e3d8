// c = a b^T, both operands in MXFP8: e4m3 elements with one scale for every 32 of them along K, the scales in the order that
// the tensor cores read (what mx.quantize writes). Any M, N and K.
//
//   mxc compile docs/examples/matmul.mlir --target=sm_100a -o matmul.cubin

!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
!result = memref<?x?xbf16>

mx.kernel @matmul(%a: !codes, %sa: !scales, %b: !codes, %sb: !scales, %c: !result) {
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !scales, !codes, !scales) outs(%c : !result)
}
