// Inputs of every broadcast, in another order than the kernel's arguments, and two results.
#scales = #mx.scale_layout<tcgen05>

mx.kernel @matmul_epilogue(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
                           %sb: memref<?x?xf8E8M0FNU, #scales>, %factor: memref<?x1xf32>, %all: memref<1x1xbf16>,
                           %residual: memref<?x?xf16>, %bias: memref<1x?xbf16>, %d: memref<?x?xf16>,
                           %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>,
                                   memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>)
            with(%bias, %factor, %residual, %all : memref<1x?xbf16>, memref<?x1xf32>, memref<?x?xf16>, memref<1x1xbf16>)
            outs(%c, %d : memref<?x?xbf16>, memref<?x?xf16>) {
  ^bb0(%product: f32, %of_column: f32, %of_row: f32, %own: f32, %of_all: f32):
    %scaled = arith.mulf %product, %of_row : f32
    %shifted = arith.addf %scaled, %of_column : f32
    %sum = arith.addf %shifted, %own : f32
    %small = arith.constant 0.015625 : f32
    %difference = arith.subf %shifted, %of_all : f32
    %other = arith.mulf %difference, %small : f32
    mx.yield %sum, %other : f32, f32
  }
}
