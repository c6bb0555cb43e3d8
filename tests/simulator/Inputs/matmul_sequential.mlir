// Sums of a row that no tile, shape or place may change.
#scales = #mx.scale_layout<tcgen05>
mx.kernel @matmul_sequential(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
                             %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xf32>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>,
                                   memref<?x?xf8E8M0FNU, #scales>)
            outs(%c : memref<?x?xf32>) reduction = sequential
}
