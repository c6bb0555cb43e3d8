// c = gelu(alpha a b^T + bias): a scalar argument and a row of biases in the epilogue, on the f32 product.
//
//   mxc compile docs/examples/matmul_bias_gelu.mlir --target=sm_100a -o matmul.cubin

#scales = #mx.scale_layout<tcgen05>

mx.kernel @matmul_bias_gelu(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>,
                            %b: memref<?x?xf8E4M3FN>, %sb: memref<?x?xf8E8M0FNU, #scales>,
                            %bias: memref<1x?xbf16>, %alpha: f32, %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>,
                                   memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>)
            with(%bias : memref<1x?xbf16>) outs(%c : memref<?x?xbf16>) {
  ^bb0(%product: f32, %shift: f32):
    %x = math.fma %product, %alpha, %shift : f32
    %steep = arith.constant -2.455466967 : f32 // gelu(x) = x / (1 + exp(-1.702 x)), the sigmoid form; 1.702 / ln 2
    %one = arith.constant 1.0 : f32
    %power = arith.mulf %x, %steep : f32
    %e = math.exp2 %power fastmath<afn> : f32
    %d = arith.addf %e, %one : f32
    %y = arith.divf %x, %d fastmath<afn> : f32
    mx.yield %y : f32
  }
}
