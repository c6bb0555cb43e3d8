// Tokens in the order of their experts, quantized along rows: group g has the rows from ends[g - 1] to ends[g].
// Codes lie side by side; every group's scales begin at a tile of their own, ends[g - 1] / 128 + g, which is
// what a grouped product reads.
#tiles = #mx.scale_layout<tcgen05>

mx.kernel @quantize_groups(%x: memref<?x?xbf16>, %ends: memref<?xi32>, %q: memref<?x?xf8E4M3FN>,
                           %s: memref<?x?xf8E8M0FNU, #tiles>) {
  mx.quantize ins(%x : memref<?x?xbf16>) groups(%ends : memref<?xi32>)
              outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #tiles>) align = 1
}
