// MXFP8 (blocks of 32, ue8m0 scales) to blocks of 1x128 with an f32 scale, a power of two: what matmul_blockwise.mlir multiplies at the full
// rate of sm_90a's FP8 cores. `n` counts the elements that lost bits, and is added to; `e` is their largest relative error. Any M, any K.
//
//   mxc compile docs/examples/requantize.mlir --target=sm_90a -o requantize.cubin
//   tools/dev/make-input in.safetensors q=1000x7168:e4m3 s=229376:u8 n=[0]:i64 e=[0.0]
//   mxc run docs/examples/requantize.mlir --device=cuda:0 --input in.safetensors --output out.safetensors --verify

!codes = memref<?x?xf8E4M3FN>
!tiles = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
!scales = memref<?x?xf32, #mx.scale_layout<mn_major>>
!count = memref<1xi64>
!largest = memref<1xf32>

mx.kernel @requantize(%q: !codes, %s: !tiles, %r: !codes, %t: !scales, %n: !count, %e: !largest) {
  mx.requantize ins(%q, %s : !codes, !tiles) outs(%r, %t : !codes, !scales) inexact(%n : !count) error(%e : !largest)
}
