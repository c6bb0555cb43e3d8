!codes = memref<?x?xf4E2M1FN>
!scales = memref<?x?xf8E4M3FN, #mx.scale_layout<tcgen05>>
!one = memref<1xf32>

mx.kernel @dequantize_nvfp4(%q: !codes, %s: !scales, %tensor_scale: !one, %y: memref<?x?xf32>) {
  mx.dequantize ins(%q, %s : !codes, !scales) tensor_scale(%tensor_scale : !one) outs(%y : memref<?x?xf32>)
}
