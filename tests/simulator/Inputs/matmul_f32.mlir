// Operands of two formats; results of four bytes.
#scales = #mx.scale_layout<tcgen05>

mx.kernel @matmul_f32(%a: memref<?x?xf8E5M2>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
                      %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xf32>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E5M2>, memref<?x?xf8E8M0FNU, #scales>,
                                   memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>)
            outs(%c : memref<?x?xf32>)
}
