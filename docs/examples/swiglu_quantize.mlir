// SwiGLU fused with quantization: silu(gate) * up of two bf16 matrices to MXFP8, in one pass over memory. The region is
// computed in f32, element by element; fastmath<afn> lets exp and the division be the hardware's approximations.
//
//   mxc compile docs/examples/swiglu_quantize.mlir --target=sm_100a -o swiglu.cubin
//   tools/dev/make-input in.safetensors gate=1000x7168 up=1000x7168
//   mxc run docs/examples/swiglu_quantize.mlir --device=cuda:0 --input in.safetensors --output q.safetensors --verify

!values = memref<?x?xbf16>
!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>

mx.kernel @swiglu_quantize(%gate: !values, %up: !values, %q: !codes, %s: !scales) {
  mx.quantize ins(%gate, %up : !values, !values) outs(%q, %s : !codes, !scales)
      axis = row rounding = ceil special = propagate {
  ^bb0(%g: f32, %u: f32):
    %one = arith.constant 1.0 : f32
    %minus = arith.negf %g : f32
    %power = math.exp %minus fastmath<afn> : f32
    %denominator = arith.addf %power, %one : f32
    %silu = arith.divf %g, %denominator fastmath<afn> : f32
    %y = arith.mulf %silu, %u : f32
    mx.yield %y : f32
  }
}
