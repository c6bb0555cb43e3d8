mx.kernel @k(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>)
      axis = row block = 1x128 rounding = even special = nan_scale tiny = byte_one {
  ^bb0(%v: f32):
    %c = arith.constant -0.75 : f32
    %y = arith.addf %v, %c : f32
    mx.yield %y : f32
  }
}
