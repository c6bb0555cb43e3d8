// Gathered rows in groups, both copies: what a layer's permutation does in front of its products.
#scales = #mx.scale_layout<tcgen05>

mx.kernel @groups_both(%x: memref<?x?xbf16>, %ends: memref<?xi32>, %index: memref<?xi32>, %q: memref<?x?xf8E4M3FN>,
                       %s: memref<?x?xf8E8M0FNU, #scales>, %qc: memref<?x?xf8E4M3FN>, %sc: memref<?x?xf8E8M0FNU, #scales>) {
  mx.quantize ins(%x : memref<?x?xbf16>) groups(%ends : memref<?xi32>) gather(%index : memref<?xi32>)
      outs(%q, %s, %qc, %sc : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>,
           memref<?x?xf8E8M0FNU, #scales>) axis = both transpose = false
}
