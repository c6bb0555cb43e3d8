// bf16 to MXFP8 along rows: e4m3 elements and ue8m0 scales, the scales straight in the layout that tcgen05 block-scaled
// MMA (and cuBLAS "1D block scaling") reads. Any M, any K.
//
//   mxc compile docs/examples/quantize.mlir --target=sm_100a -o q.cubin
//   mxc run docs/examples/quantize.mlir --device=cuda:0 --input x.safetensors --output q.safetensors --verify

#scales = #mx.scale_layout<tcgen05>

mx.kernel @quantize(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU, #scales>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>)
      axis = row rounding = ceil special = propagate
}
