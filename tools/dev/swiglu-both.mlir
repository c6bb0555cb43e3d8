// SwiGLU quantized along rows and along columns from one reading, as docs/examples/swiglu_quantize.mlir does along rows: what tools/dev/tune-suite times.
#scales = #mx.scale_layout<tcgen05>

mx.kernel @swiglu_both(%gate: memref<?x?xbf16>, %up: memref<?x?xbf16>,
                       %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU, #scales>,
                       %qt: memref<?x?xf8E4M3FN>, %st: memref<?x?xf8E8M0FNU, #scales>) {
  mx.quantize ins(%gate, %up : memref<?x?xbf16>, memref<?x?xbf16>)
      outs(%q, %s, %qt, %st : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>,
                              memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>)
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
