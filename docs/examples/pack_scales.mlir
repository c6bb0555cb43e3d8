// Row-major scales [rows, blocks] to the 512-byte tiles that tcgen05 block-scaled MMA (and cuBLAS) reads. Padding is 0x00.
//
//   mxc compile docs/examples/pack_scales.mlir --target=sm_100a -o pack.cubin
//   tools/dev/make-input in.safetensors dense=1000x224:u8
//   mxc run docs/examples/pack_scales.mlir --device=cuda:0 --input in.safetensors --output tiles.safetensors --verify

!dense = memref<?x?xf8E8M0FNU>
!tiles = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>

mx.kernel @pack_scales(%dense: !dense, %tiles: !tiles) {
  mx.pack_scales ins(%dense : !dense) outs(%tiles : !tiles)
}
