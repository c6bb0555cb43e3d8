// The 512-byte tiles of tcgen05 scales back to row-major [rows, blocks]. Tiles are padded, so the sizes are given.
//
//   mxc compile docs/examples/unpack_scales.mlir --target=sm_100a -o unpack.cubin
//   tools/dev/make-input in.safetensors tiles=229376:u8
//   mxc run docs/examples/unpack_scales.mlir --device=cuda:0 --input in.safetensors --shape M=1000,KB=224 --verify

!dense = memref<?x?xf8E8M0FNU>
!tiles = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>

mx.kernel @unpack_scales(%tiles: !tiles, %dense: !dense) {
  mx.unpack_scales ins(%tiles : !tiles) outs(%dense : !dense)
}
