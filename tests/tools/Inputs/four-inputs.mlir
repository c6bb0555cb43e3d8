// Four inputs of f32: a tile of bulk copies takes four times the shared memory.
mx.kernel @four(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>, %d: memref<?x?xf32>,
                %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) {
  mx.quantize ins(%a, %b, %c, %d : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>)
              outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>)
              axis = row rounding = ceil special = propagate {
  ^bb0(%x: f32, %y: f32, %z: f32, %w: f32):
    %0 = arith.addf %x, %y : f32
    %1 = arith.addf %z, %w : f32
    %2 = arith.addf %0, %1 : f32
    mx.yield %2 : f32
  }
}
