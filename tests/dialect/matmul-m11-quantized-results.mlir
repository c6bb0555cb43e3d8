// RUN: mxc-opt %s -split-input-file -verify-diagnostics
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E8M0FNU, #scales>) {
  // expected-error @below {{results are quantized to elements of 8 bits with a scale of f8E8M0FNU for 32 of them, found mxfp4 [M11]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) outs((%q, %s) : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU, #scales>)
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %q: memref<?x64xf8E4M3FN>, %s: memref<?x3xf8E8M0FNU, #scales>) {
  // expected-error @below {{scales must have shape [rows, ceil(columns/32)] of 'memref<?x64xf8E4M3FN>', found 'memref<?x3xf8E8M0FNU, #mx.scale_layout<tcgen05>>' [M11]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) outs((%q, %s) : memref<?x64xf8E4M3FN>, memref<?x3xf8E8M0FNU, #scales>)
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %q: memref<?x64xf8E4M3FN>, %s: memref<?x2xf8E8M0FNU, #scales>, %c: memref<?x96xbf16>) {
  // expected-error @below {{N is 64, found 'memref<?x96xbf16>' [M2]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) outs((%q, %s), %c : memref<?x64xf8E4M3FN>, memref<?x2xf8E8M0FNU, #scales>, memref<?x96xbf16>) {
  ^bb0(%x: f32):
    mx.yield %x, %x : f32, f32
  }
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU, #scales>) {
  // expected-error @below {{results that are codes with scales are not for accumulate [M11]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) outs((%q, %s) : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) accumulate
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  // expected-error @below {{rounding, special, tiny and compat are for results that are codes with scales, found none [M11]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?xbf16>) rounding = floor
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU, #scales>) {
  // expected-error @below {{compat = "te" already says rounding, special and tiny [M11]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) outs((%q, %s) : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) compat = "te" tiny = exact
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU, #scales>) {
  // expected-error @below {{compat must be one of te torchao megatron cublas, found "mine" [M11]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) outs((%q, %s) : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) compat = "mine"
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU, #scales>) {
  // expected-error @below {{results that are codes with scales take tiles that quantize them, but tile #mx.swap_tile<columns = 128, tokens = 16, splits = 2, parts = 1, stages = 8, token_stages = 4, code_stages = 4, ctas_per_sm = 0> quantizes results along rows alone [M11]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) outs((%q, %s) {axis = column} : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) tiles = [#mx.swap_tile<>, #mx.matmul_tile<>]
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  // expected-error @below {{has 2 outputs, which need an epilogue that yields them [M7]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) outs((%q, %s), %c : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xbf16>)
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU, #scales>) {
  // expected-error @below {{rounding = nearest is for scales of f32 or ue4m3, found scales of ue8m0 [M11]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>)
      outs((%q, %s) : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) rounding = nearest
}
