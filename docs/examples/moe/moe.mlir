// The kernels of a layer of SwiGLU experts in MXFP8, forward and backward: moe.cpp launches them. Tokens [T, d] become rows [R, d] in
// the order of their experts; group g begins at a multiple of 128, and R is what holds them however they are spread. `ends` lies on
// the device, and no launch reads it. Every operand is quantized along what its product sums over.

!values = memref<?x?xbf16>
!half = memref<?x?xbf16, strided<[?, 1]>> // gate or up, columns of one matrix [R, 2 hidden]
!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
!expert_codes = memref<?x?x?xf8E4M3FN>
!expert_scales = memref<?x?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
!halves = memref<?x2x?x?xf8E4M3FN> // gate's rows and up's, of every expert
!halves_scales = memref<?x2x?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
!ends = memref<?xi32>
!index = memref<?xi32>
!factors = memref<?xf32>
!rows = memref<?x2xi32>    // two experts for each token
!weights = memref<?x2xf32>

// Weights of one expert, [N, K], for the product forward and, along columns, for the one backward.
mx.kernel @weight_rows(%x: !values, %q: !codes, %s: !scales) {
  mx.quantize ins(%x : !values) outs(%q, %s : !codes, !scales) axis = row
}
mx.kernel @weight_columns(%x: !values, %q: !codes, %s: !scales) {
  mx.quantize ins(%x : !values) outs(%q, %s : !codes, !scales) axis = column
}

// 1. The tokens of each expert.
mx.kernel @permute(%x: !values, %ends: !ends, %index: !index, %q: !codes, %s: !scales, %qt: !codes, %st: !scales) {
  mx.quantize ins(%x : !values) groups(%ends : !ends) gather(%index : !index)
      outs(%q, %s, %qt, %st : !codes, !scales, !codes, !scales) axis = both
}

// 2. [gate up] = x w13^T, which are kept, and h = silu(gate) up of what was not rounded yet.
mx.kernel @activate(%a: !codes, %sa: !scales, %b: !halves, %sb: !halves_scales, %ends: !ends, %gate: !half, %up: !half,
                    %q: !codes, %s: !scales, %qt: !codes, %st: !scales) {
  mx.grouped_matmul ins(%a, %sa, %b, %sb : !codes, !scales, !halves, !halves_scales) groups(%ends : !ends)
                    outs(%gate, %up, (%q, %s) {axis = row}, (%qt, %st) {axis = column} : !half, !half, !codes, !scales, !codes, !scales)
                    parts = 2 {
  ^bb0(%g: f32, %u: f32):
    %one = arith.constant 1.0 : f32
    %minus = arith.negf %g : f32
    %power = math.exp %minus fastmath<afn> : f32
    %below = arith.addf %power, %one : f32
    %silu = arith.divf %g, %below fastmath<afn> : f32
    %h = arith.mulf %silu, %u : f32
    mx.yield %g, %u, %h, %h : f32, f32, f32, f32
  }
}

// 3. y = h w2^T; 8. dx = dz w13.
mx.kernel @product(%a: !codes, %sa: !scales, %b: !expert_codes, %sb: !expert_scales, %ends: !ends, %c: !values) {
  mx.grouped_matmul ins(%a, %sa, %b, %sb : !codes, !scales, !expert_codes, !expert_scales) groups(%ends : !ends) outs(%c : !values)
}

// 4. Each token's experts' results, times the router's weights.
mx.kernel @combine(%h: !values, %rows: !rows, %weights: !weights, %y: !values) {
  mx.combine ins(%h : !values) gather(%rows : !rows) weights(%weights : !weights) outs(%y : !values)
}

// Backward: the gradients of the router's weights.
mx.kernel @weights_gradient(%dy: !values, %h: !values, %rows: !rows, %dw: !weights) {
  mx.gather_dot ins(%dy, %h : !values, !values) gather(%rows : !rows) outs(%dw : !weights)
}

// 5. The outputs' gradient for each row, times the row's weight.
mx.kernel @permute_gradient(%x: !values, %ends: !ends, %index: !index, %factors: !factors, %q: !codes, %s: !scales, %qt: !codes, %st: !scales) {
  mx.quantize ins(%x : !values) groups(%ends : !ends) gather(%index : !index) rows(%factors : !factors)
      outs(%q, %s, %qt, %st : !codes, !scales, !codes, !scales) axis = both {
  ^bb0(%v: f32, %f: f32):
    %y = arith.mulf %v, %f : f32
    mx.yield %y : f32
  }
}

// 6. dh = dy w2, and from it the gradients of gate and up.
mx.kernel @activate_gradient(%a: !codes, %sa: !scales, %b: !expert_codes, %sb: !expert_scales, %ends: !ends, %gate: !half, %up: !half,
                             %dgate: !half, %dup: !half) {
  mx.grouped_matmul ins(%a, %sa, %b, %sb : !codes, !scales, !expert_codes, !expert_scales) groups(%ends : !ends)
                    with(%gate, %up : !half, !half) outs(%dgate, %dup : !half, !half) {
  ^bb0(%dh: f32, %g: f32, %u: f32):
    %one = arith.constant 1.0 : f32
    %minus = arith.negf %g : f32
    %power = math.exp %minus fastmath<afn> : f32
    %below = arith.addf %power, %one : f32
    %silu = arith.divf %g, %below fastmath<afn> : f32
    %sig = arith.divf %one, %below fastmath<afn> : f32
    %rest = arith.subf %one, %sig : f32
    %slope = math.fma %silu, %rest, %sig : f32 // silu' = sig + silu (1 - sig)
    %of_up = arith.mulf %dh, %u : f32
    %dg = arith.mulf %of_up, %slope : f32
    %du = arith.mulf %dh, %silu : f32
    mx.yield %dg, %du : f32, f32
  }
}

// 7. dz = [dgate dup]
mx.kernel @quantize_rows(%x: !values, %ends: !ends, %q: !codes, %s: !scales, %qt: !codes, %st: !scales) {
  mx.quantize ins(%x : !values) groups(%ends : !ends) outs(%q, %s, %qt, %st : !codes, !scales, !codes, !scales) axis = both
}

// dw2[g] = dy^T h and dw13[g] = dz^T x of each expert's rows.
mx.kernel @wgrad(%a: !codes, %sa: !scales, %b: !codes, %sb: !scales, %ends: !ends, %c: memref<?x?x?xf32>) {
  mx.grouped_matmul ins(%a, %sa, %b, %sb : !codes, !scales, !codes, !scales) groups(%ends : !ends) outs(%c : memref<?x?x?xf32>) ragged = k
}

// 9. dx of each token: the sum of its rows'.
mx.kernel @sum(%h: !values, %rows: !rows, %y: !values) {
  mx.combine ins(%h : !values) gather(%rows : !rows) outs(%y : !values)
}
