// Tokens in the order of their experts, quantized along rows: group g has the rows from ends[g - 1] to ends[g].
// Codes lie side by side; every group's scales begin at a tile of their own, ends[g - 1] / 128 + g, which is
// what a grouped product reads.
//
//   mxc compile docs/examples/quantize_groups.mlir --target=sm_100a -o q.cubin
//   tools/dev/make-input in.safetensors x=1000x7168 ends=[100,100,356,1000]
//   mxc run docs/examples/quantize_groups.mlir --device=cuda:0 --input in.safetensors --output q.safetensors --verify

#tiles = #mx.scale_layout<tcgen05>

mx.kernel @quantize_groups(%x: memref<?x?xbf16>, %ends: memref<?xi32>, %q: memref<?x?xf8E4M3FN>,
                           %s: memref<?x?xf8E8M0FNU, #tiles>) {
  mx.quantize ins(%x : memref<?x?xbf16>) groups(%ends : memref<?xi32>)
              outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #tiles>) align = 1
}
