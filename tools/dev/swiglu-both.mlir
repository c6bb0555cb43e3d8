// SwiGLU quantized along rows and along columns from one reading, as docs/examples/swiglu_quantize.mlir does along rows: what tools/dev/tune-suite times.
!values = memref<?x?xbf16>
!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>

mx.kernel @swiglu_both(%gate: !values, %up: !values, %q: !codes, %s: !scales, %qt: !codes, %st: !scales) {
  mx.quantize ins(%gate, %up : !values, !values) outs(%q, %s, %qt, %st : !codes, !scales, !codes, !scales)
      axis = both rounding = ceil special = propagate {
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
