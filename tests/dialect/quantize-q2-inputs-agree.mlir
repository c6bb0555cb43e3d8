// RUN: mxc-opt %s -verify-diagnostics

// The data's dimension is open: the inputs still have to agree with each other.
mx.kernel @inputs_disagree(%x: memref<?x64xbf16>, %y: memref<?x32xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{[Q2]}}
  mx.quantize ins(%x, %y : memref<?x64xbf16>, memref<?x32xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {
  ^bb0(%a: f32, %b: f32):
    %z = arith.addf %a, %b : f32
    mx.yield %z : f32
  }
}
