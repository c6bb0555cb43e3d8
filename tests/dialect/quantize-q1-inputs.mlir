// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @two_without_prologue(%x: memref<?x?xbf16>, %y: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{needs at least one input, and exactly one without a prologue, found 2 [Q1]}}
  mx.quantize ins(%x, %y : memref<?x?xbf16>, memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}

// -----

mx.kernel @none(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{needs at least one input, and exactly one without a prologue, found 0 [Q1]}}
  "mx.quantize"(%q, %s) <{operandSegmentSizes = array<i32: 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0>}> ({
    %one = arith.constant 1.0 : f32
    mx.yield %one : f32
  }) : (memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) -> ()
}

// -----

mx.kernel @fp8_input(%x: memref<?x?xf8E5M2>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{operand #0 must be variadic of 2D memref of bfloat16 type or 16-bit float or 32-bit float values}}
  mx.quantize ins(%x : memref<?x?xf8E5M2>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}

// -----

mx.kernel @data_of_bf16(%x: memref<?x?xbf16>, %q: memref<?x?xbf16>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{operand #1 must be 2D memref of an element format, but got 'memref<?x?xbf16>'}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xbf16>, memref<?x?xf8E8M0FNU>)
}

// -----

mx.kernel @scales_of_e4m3(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E4M3FN>) {
  // expected-error @+1 {{data and scales must make a block format (mxfp8_e4m3 of f8E4M3FN and f8E8M0FNU, mxfp8_e5m2 of f8E5M2 and f8E8M0FNU, mxfp6_e3m2 of f6E3M2FN and f8E8M0FNU, mxfp6_e2m3 of f6E2M3FN and f8E8M0FNU, mxfp4 of f4E2M1FN and f8E8M0FNU, nvfp4 of f4E2M1FN and f8E4M3FN, fp8_e4m3_1x128 of f8E4M3FN and f32, fp8_e5m2_1x128 of f8E5M2 and f32, fp8_e4m3_128x128 of f8E4M3FN and f32, fp8_e5m2_128x128 of f8E5M2 and f32, fp8_e4m3_1x128_ue8m0 of f8E4M3FN and f8E8M0FNU, fp8_e5m2_1x128_ue8m0 of f8E5M2 and f8E8M0FNU, fp8_e4m3_128x128_ue8m0 of f8E4M3FN and f8E8M0FNU, fp8_e5m2_128x128_ue8m0 of f8E5M2 and f8E8M0FNU), found 'f8E4M3FN' and 'f8E4M3FN' [Q7]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>)
}
