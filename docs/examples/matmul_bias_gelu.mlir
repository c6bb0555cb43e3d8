// c = gelu(alpha a b^T + bias): a scalar argument and a row of biases in the epilogue, on the f32 product. GELU is taken
// by its sigmoid form and that by tanh, one instruction of the special functions' unit where exp2 and a division are two.
//
//   mxc compile docs/examples/matmul_bias_gelu.mlir --target=sm_100a -o matmul.cubin

!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
!bias = memref<1x?xbf16>
!result = memref<?x?xbf16>

mx.kernel @matmul_bias_gelu(%a: !codes, %sa: !scales, %b: !codes, %sb: !scales,
                            %bias: !bias, %alpha: f32, %c: !result) {
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !scales, !codes, !scales) with(%bias : !bias) outs(%c : !result) {
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
