// Broken by sed in messages.test.
#tiles = #mx.scale_layout<tcgen05>
!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #tiles>
mx.kernel @k(%a: !codes, %sa: !scales, %b: !codes, %sb: !scales, %bias: memref<1x?xbf16>, %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !scales, !codes, !scales)
            with(%bias : memref<1x?xbf16>)
            outs(%c : memref<?x?xbf16>) {
  ^bb0(%product: f32, %of_column: f32):
    %y = arith.addf %product, %of_column : f32
    mx.yield %y : f32
  }
}
