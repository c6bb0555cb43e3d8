// Tokens in the order of their experts, quantized along rows: group g has the rows from ends[g - 1] to ends[g].
// Codes lie side by side; every group's scales begin at a tile of their own, ends[g - 1] / 128 + g, which is
// what a grouped product reads.
//
//   mxc compile docs/examples/quantize_groups.mlir --target=sm_100a -o q.cubin
//   tools/dev/make-input in.safetensors x=1000x7168 ends=[100,100,356,1000]
//   mxc run docs/examples/quantize_groups.mlir --device=cuda:0 --input in.safetensors --output q.safetensors --verify

!values = memref<?x?xbf16>
!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
!ends = memref<?xi32>

mx.kernel @quantize_groups(%x: !values, %ends: !ends, %q: !codes, %s: !scales) {
  mx.quantize ins(%x : !values) groups(%ends : !ends) outs(%q, %s : !codes, !scales) align = 1
}
