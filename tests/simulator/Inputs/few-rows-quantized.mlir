// The product of few rows in groups, plus a matrix, quantized along rows.
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
!weight_scales = memref<?x?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
mx.kernel @few_rows(%a: memref<?x?xf8E4M3FN>, %sa: !scales, %b: memref<?x?x?xf8E4M3FN>, %sb: !weight_scales, %ends: memref<?xi32>,
                    %z: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: !scales) {
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, !scales, memref<?x?x?xf8E4M3FN>, !weight_scales) groups(%ends : memref<?xi32>)
                    with(%z : memref<?x?xbf16>) outs((%q, %s) {axis = row} : memref<?x?xf8E4M3FN>, !scales) align = 1 {
  ^bb0(%product: f32, %x: f32):
    %r = arith.addf %product, %x : f32
    mx.yield %r : f32
  }
}
