// MXFP4 (blocks of 32, ue8m0 scales) to NVFP4 (blocks of 16, ue4m3 scales below one f32 for the tensor): the codes and their values stay as they are
// where tensor_scale is a power of two and a scale over it is from 2^-9 to 2^8. With 2^(largest byte - 135) no element is too large. `n` counts the
// elements that changed, and is added to. Any M, any even K.
//
//   mxc compile docs/examples/requantize_nvfp4.mlir --target=sm_100a -o requantize.cubin
//   tools/dev/make-input in.safetensors q=1000x7168:e2m1 s=229376:u8 tensor_scale=[0.0078125] n=[0]:i64
//   mxc run docs/examples/requantize_nvfp4.mlir --device=cuda:0 --input in.safetensors --output out.safetensors --verify

!codes = memref<?x?xf4E2M1FN>
!powers = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
!scales = memref<?x?xf8E4M3FN, #mx.scale_layout<tcgen05>>
!one = memref<1xf32>
!count = memref<1xi64>

mx.kernel @requantize_nvfp4(%q: !codes, %s: !powers, %tensor_scale: !one, %r: !codes, %t: !scales, %n: !count) {
  mx.requantize ins(%q, %s : !codes, !powers) tensor_scale(%tensor_scale : !one) outs(%r, %t : !codes, !scales) inexact(%n : !count)
}
