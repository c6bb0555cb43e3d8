// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @e4m3_scales_of_e4m3(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E4M3FN>) {
  // expected-error @+1 {{data and scales must make a block format (mxfp8_e4m3 of f8E4M3FN and f8E8M0FNU, mxfp8_e5m2 of f8E5M2 and f8E8M0FNU, mxfp6_e3m2 of f6E3M2FN and f8E8M0FNU, mxfp6_e2m3 of f6E2M3FN and f8E8M0FNU, mxfp4 of f4E2M1FN and f8E8M0FNU, nvfp4 of f4E2M1FN and f8E4M3FN, fp8_e4m3_1x128 of f8E4M3FN and f32, fp8_e5m2_1x128 of f8E5M2 and f32, fp8_e4m3_128x128 of f8E4M3FN and f32, fp8_e5m2_128x128 of f8E5M2 and f32, fp8_e4m3_1x128_ue8m0 of f8E4M3FN and f8E8M0FNU, fp8_e5m2_1x128_ue8m0 of f8E5M2 and f8E8M0FNU, fp8_e4m3_128x128_ue8m0 of f8E4M3FN and f8E8M0FNU, fp8_e5m2_128x128_ue8m0 of f8E5M2 and f8E8M0FNU), found 'f8E4M3FN' and 'f8E4M3FN' [Q7]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>)
}

// -----

// Blocks of nvfp4 are 16 elements.
mx.kernel @blocks_of_32(%x: memref<?x64xbf16>, %q: memref<?x64xf4E2M1FN>, %s: memref<?x2xf8E4M3FN>) {
  // expected-error @+1 {{scales must have shape [rows, ceil(columns/16)] of 'memref<?x64xf4E2M1FN>', found 'memref<?x2xf8E4M3FN>' [Q3]}}
  mx.quantize ins(%x : memref<?x64xbf16>) outs(%q, %s : memref<?x64xf4E2M1FN>, memref<?x2xf8E4M3FN>)
}
