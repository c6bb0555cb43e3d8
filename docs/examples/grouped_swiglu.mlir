// The first product of a layer of SwiGLU experts in one launch: gate and up [T, N] of each group's rows, kept in bf16 for the backward
// pass (one matrix [T, 2 N] has both), and h = silu(gate) up as mx.quantize makes it of the same f32, along rows for the next
// product (q, s) and along columns for gradients (qt, st). b [G, 2, N, K] has gate's rows before up's: w13 [G, 2 N, K] as it is.
//
//   mxc compile docs/examples/grouped_swiglu.mlir --target=sm_100a -o grouped_swiglu.cubin
//   tools/dev/make-input in.safetensors a=512x256:e4m3 sa=4096:u8 b=3x2x256x256:e4m3 sb=12288:u8 ends=[100,356,500]

!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
!weights = memref<?x2x?x?xf8E4M3FN>
!weight_scales = memref<?x2x?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
!ends = memref<?xi32>
!half = memref<?x?xbf16, strided<[?, 1]>>

mx.kernel @grouped_swiglu(%a: !codes, %sa: !scales, %b: !weights, %sb: !weight_scales, %ends: !ends, %zg: !half, %zu: !half,
                          %q: !codes, %s: !scales, %qt: !codes, %st: !scales) {
  mx.grouped_matmul ins(%a, %sa, %b, %sb : !codes, !scales, !weights, !weight_scales) groups(%ends : !ends)
                    outs(%zg, %zu, (%q, %s) {axis = row}, (%qt, %st) {axis = column} : !half, !half, !codes, !scales, !codes, !scales)
                    align = 128 parts = 2 {
  ^bb0(%gate: f32, %up: f32):
    %one = arith.constant 1.0 : f32
    %minus = arith.negf %gate : f32
    %power = math.exp %minus fastmath<afn> : f32
    %below = arith.addf %power, %one : f32
    %silu = arith.divf %gate, %below fastmath<afn> : f32
    %h = arith.mulf %silu, %up : f32
    mx.yield %gate, %up, %h, %h : f32, f32, f32, f32
  }
}
