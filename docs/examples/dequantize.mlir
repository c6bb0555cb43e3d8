// MXFP8 back to bf16: element * 2^(scale - 127), rounded once. The scales come in the layout that the tensor cores read.
//
//   mxc compile docs/examples/dequantize.mlir --target=sm_90a -o dequantize.cubin
//   tools/dev/make-input in.safetensors q=256x4096:e4m3 s=32768:u8
//   mxc run docs/examples/dequantize.mlir --device=cuda:0 --input in.safetensors --output y.safetensors --verify

!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
!values = memref<?x?xbf16>

mx.kernel @dequantize(%q: !codes, %s: !scales, %y: !values) {
  mx.dequantize ins(%q, %s : !codes, !scales) outs(%y : !values)
}
