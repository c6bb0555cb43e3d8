// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @mxfp4(%x: memref<?x?xbf16>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{four_over_six is for nvfp4, found mxfp4 [Q19]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU>) four_over_six = mse
}

// -----

mx.kernel @random(%x: memref<?x?xbf16>, %t: memref<1xf32>, %r: memref<2xi64>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E4M3FN>) {
  // expected-error @+1 {{four_over_six compares errors of elements that are rounded to nearest, found random [Q19]}}
  mx.quantize ins(%x : memref<?x?xbf16>) tensor_scale(%t : memref<1xf32>) random(%r : memref<2xi64>)
      outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN>) four_over_six = mse
}

// -----

mx.kernel @preset(%x: memref<?x?xbf16>, %t: memref<1xf32>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E4M3FN>) {
  // expected-error @+1 {{four_over_six is for rounding = nearest, found reciprocal [Q19]}}
  mx.quantize ins(%x : memref<?x?xbf16>) tensor_scale(%t : memref<1xf32>)
      outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN>) compat = "te" four_over_six = mse
}

// -----

mx.kernel @word(%x: memref<?x?xbf16>, %t: memref<1xf32>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E4M3FN>) {
  mx.quantize ins(%x : memref<?x?xbf16>) tensor_scale(%t : memref<1xf32>)
      // expected-error @+1 {{'mae' is no four_over_six: expected mse}}
      outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN>) four_over_six = mae
}

// -----

llvm.func @scale(%amax: i32) {
  // expected-error @+1 {{to_four is for scales of ue4m3, found 'f8E8M0FNU'}}
  %code, %multiplier = mx.encode_scale %amax to_four element = f4E2M1FN scale = f8E8M0FNU rounding = ceil special = propagate tiny = exact
  llvm.return
}

// -----

llvm.func @length(%x: vector<8xbf16>, %c: vector<1xi32>, %s: i32, %t: f32, %v: i1) {
  // expected-error @+1 {{elements of 1 lanes must be 16, 4 or more each, found 'vector<8xbf16>'}}
  %e = mx.block_error %x as %c by %s in %t valid %v lanes = 1 element = f4E2M1FN scale = f8E4M3FN : vector<8xbf16>, vector<1xi32>
  llvm.return
}
