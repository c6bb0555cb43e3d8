// Weights in blocks of 128x128, as they are and transposed, from one reading: for timing.
!values = memref<?x?xbf16>
!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf32>

mx.kernel @blockwise_weights(%w: !values, %q: !codes, %s: !scales, %qt: !codes, %st: !scales) {
  mx.quantize ins(%w : !values) outs(%q, %s, %qt, %st : !codes, !scales, !codes, !scales) axis = both block = 128x128
}
