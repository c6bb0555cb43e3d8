// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @none(%q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E4M3FN>, %x: memref<?x?xf32>) {
  // expected-error @+1 {{block format nvfp4 has a scale for the whole tensor, found no tensor_scale(..) [D5]}}
  mx.dequantize ins(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN>) outs(%x : memref<?x?xf32>)
}

// -----

mx.kernel @one_too_many(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %t: memref<1xf32>, %x: memref<?x?xf32>) {
  // expected-error @+1 {{block format mxfp8_e4m3 has no scale for the whole tensor, found tensor_scale(..) [D5]}}
  mx.dequantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) tensor_scale(%t : memref<1xf32>) outs(%x : memref<?x?xf32>)
}
