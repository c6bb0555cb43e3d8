// c = gelu(alpha a b^T + bias): a scalar argument and a row of biases in the epilogue, on the f32 product. GELU is taken
// by its sigmoid form and that by tanh, one instruction of the special functions' unit where exp2 and a division are two.
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
    %slope = arith.constant 0.851 : f32 // gelu(x) = x sigmoid(1.702 x) = x/2 (1 + tanh(0.851 x))
    %steep = arith.mulf %x, %slope : f32
    %t = math.tanh %steep fastmath<afn> : f32
    %half = arith.constant 0.5 : f32
    %h = arith.mulf %x, %half : f32
    %y = math.fma %h, %t, %h : f32
    mx.yield %y : f32
  }
}
