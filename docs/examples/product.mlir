// c = a b^T in MXFP8, from two bf16 matrices x and y: each is quantized, and what the tensor cores read is multiplied. Any M, N and K.
// README.md runs it, and so does tools/dev/demo.

!values = memref<?x?xbf16>
!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>

mx.kernel @quantize_a(%x: !values, %a: !codes, %sa: !scales) {
  mx.quantize ins(%x : !values) outs(%a, %sa : !codes, !scales) axis = row rounding = ceil special = propagate
}
mx.kernel @quantize_b(%y: !values, %b: !codes, %sb: !scales) {
  mx.quantize ins(%y : !values) outs(%b, %sb : !codes, !scales) axis = row rounding = ceil special = propagate
}
mx.kernel @multiply(%a: !codes, %sa: !scales, %b: !codes, %sb: !scales, %c: !values) {
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !scales, !codes, !scales) outs(%c : !values)
}
