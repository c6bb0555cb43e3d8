// a in e2m3, b in e3m2, c in f32.
!a = memref<?x?xf6E2M3FN>
!b = memref<?x?xf6E3M2FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
!c = memref<?x?xf32>
mx.kernel @matmul(%a: !a, %sa: !scales, %b: !b, %sb: !scales, %c: !c) {
  mx.matmul ins(%a, %sa, %b, %sb : !a, !scales, !b, !scales) outs(%c : !c)
}
