// The 512-byte tiles of tcgen05 scales back to row-major [rows, blocks]. Tiles are padded, so the sizes are given.
//
//   mxc compile docs/examples/unpack_scales.mlir --target=sm_100a -o unpack.cubin
//   tools/dev/make-input in.safetensors tiles=229376:u8
//   mxc run docs/examples/unpack_scales.mlir --device=cuda:0 --input in.safetensors --dim M=1000 --dim KB=224 --verify

#scales = #mx.scale_layout<tcgen05>

mx.kernel @unpack_scales(%tiles: memref<?x?xf8E8M0FNU, #scales>, %dense: memref<?x?xf8E8M0FNU>) {
  mx.unpack_scales ins(%tiles : memref<?x?xf8E8M0FNU, #scales>) outs(%dense : memref<?x?xf8E8M0FNU>)
}
