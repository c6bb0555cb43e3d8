// A batch of products, each with its row of biases, all in one launch.
#scales = #mx.scale_layout<tcgen05>

mx.kernel @matmul_batch(%a: memref<?x?x?xf8E4M3FN>, %sa: memref<?x?x?xf8E8M0FNU, #scales>,
                        %b: memref<?x?x?xf8E4M3FN>, %sb: memref<?x?x?xf8E8M0FNU, #scales>,
                        %bias: memref<?x1x?xbf16>, %c: memref<?x?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?x?xf8E4M3FN>, memref<?x?x?xf8E8M0FNU, #scales>,
                                   memref<?x?x?xf8E4M3FN>, memref<?x?x?xf8E8M0FNU, #scales>)
            with(%bias : memref<?x1x?xbf16>) outs(%c : memref<?x?x?xbf16>) {
  ^bb0(%product: f32, %shift: f32):
    %y = arith.addf %product, %shift : f32
    mx.yield %y : f32
  }
}
