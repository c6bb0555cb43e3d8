// c = a b^T in MXFP8, from two bf16 matrices x and y: each is quantized, and what the tensor cores read is multiplied. Any M, N and K.
// README.md and tools/dev/demo run it.
//
//   tools/dev/make-input x.safetensors x=512x1024
//   tools/dev/make-input --seed 8 y.safetensors y=384x1024
//   mxc run docs/examples/product.mlir --device=simulator:sm_100a --kernel=quantize_a --input x.safetensors --output a.safetensors --verify
//   mxc run docs/examples/product.mlir --device=simulator:sm_100a --kernel=quantize_b --input y.safetensors --output b.safetensors --verify
//   mxc run docs/examples/product.mlir --device=simulator:sm_100a --kernel=multiply --input a.safetensors --input b.safetensors --verify

!values = memref<?x?xbf16>
!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>

mx.kernel @quantize_a(%x: !values, %a: !codes, %sa: !scales) {
  mx.quantize ins(%x : !values) outs(%a, %sa : !codes, !scales) axis = row rounding = ceil special = propagate
}
mx.kernel @quantize_b(%y: !values, %b: !codes, %sb: !scales) {
  mx.quantize ins(%y : !values) outs(%b, %sb : !codes, !scales) axis = row rounding = ceil special = propagate
}
mx.kernel @multiply(%a: !codes, %sa: !scales, %b: !codes, %sb: !scales, %c: !values) {
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !scales, !codes, !scales) outs(%c : !values)
}
