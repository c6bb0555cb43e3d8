// Scales of blocks of 1x128, f32 as quantize_blockwise.mlir writes them, for tensor cores that take scales themselves: where they are powers
// of two, the same codes are MXFP8 elements, whose scales matmul.mlir reads on sm_100a, sm_103a, sm_100f and sm_120a. Each scale is
// repeated for its four blocks of 32; `n` counts those that were no power of two, and is added to. For weights, in blocks of
// 128x128, %s is memref<?x?xf32> and the clause block = 128x128 to 1x32.
//
//   mxc compile docs/examples/convert_scales.mlir --target=sm_100a -o convert.cubin
//   tools/dev/make-input in.safetensors s=7x1000:f32 n=[0]:i64
//   mxc run docs/examples/convert_scales.mlir --device=cuda:0 --input in.safetensors --shape M=1000,KB=28 --verify

!scales = memref<?x?xf32, #mx.scale_layout<mn_major>>
!tiles = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
!count = memref<1xi64>

mx.kernel @convert_scales(%s: !scales, %t: !tiles, %n: !count) {
  mx.convert_scales ins(%s : !scales) outs(%t : !tiles) inexact(%n : !count) block = 1x128 to 1x32
}
