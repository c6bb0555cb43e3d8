// RUN: mxc-opt %s -split-input-file -verify-diagnostics
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x64xf8E4M3FN>, %sa: memref<?x2xf8E8M0FNU, #scales>, %b: memref<?x96xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  // expected-error @below {{K is 64, found 'memref<?x96xf8E4M3FN>' [M2]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x64xf8E4M3FN>, memref<?x2xf8E8M0FNU, #scales>, memref<?x96xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?xbf16>)
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  // expected-error @below {{scales of a must have the layout #mx.scale_layout<tcgen05>, found 'memref<?x?xf8E8M0FNU>': mx.pack_scales makes them of dense ones [M3]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?xbf16>)
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x100xf8E4M3FN>, %sa: memref<?x3xf8E8M0FNU, #scales>, %b: memref<?x100xf8E4M3FN>,
             %sb: memref<?x4xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  // expected-error @below {{scales must be [.., rows, ceil(K/32)] = [.., 4], found 'memref<?x3xf8E8M0FNU, #mx.scale_layout<tcgen05>>' [M3]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x100xf8E4M3FN>, memref<?x3xf8E8M0FNU, #scales>, memref<?x100xf8E4M3FN>, memref<?x4xf8E8M0FNU, #scales>) outs(%c : memref<?x?xbf16>)
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  // expected-error @below {{'reduce' of an output is not yet there: outputs must be matrices, or (codes, scales) {axis = row} [M4]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) outs(%c {reduce = row} : memref<?x?xbf16>)
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  // expected-error @below {{'axis' of an output is for codes with scales: outputs must be matrices, or (codes, scales) {axis = row} [M4]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) outs(%c {axis = row} : memref<?x?xbf16>)
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU, #scales>) {
  // expected-error @below {{axis of an output must be row or column, found both [M4]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) outs((%q, %s) {axis = both} : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>)
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{outputs must have elements of one width, found 'memref<?x?xbf16>' and 'memref<?x?xf32>' [M4]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) outs(%c, %d : memref<?x?xbf16>, memref<?x?xf32>) {
  ^bb0(%x: f32):
    mx.yield %x, %x : f32, f32
  }
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>, %d: memref<?x?xbf16>) {
  // expected-error @below {{has 2 outputs, which need an epilogue that yields them [M7]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) outs(%c, %d : memref<?x?xbf16>, memref<?x?xbf16>)
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  // expected-error @below {{epilogue must take 1 f32 (the product, and one for each input that with(..) names before outs), found ('f32', 'f32') [M6]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?xbf16>) {
  ^bb0(%x: f32, %y: f32):
    mx.yield %x : f32
  }
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  // expected-error @below {{reduction = sequential adds in the order of K, but tile #mx.matmul_tile<m = 128, n = 128, stages = 4, ctas = 1, supergroup = 8, buffers = 2, load = tensor, store = tensor, slices = 2, scheduler = static> has several slices [M9]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?xbf16>) reduction = sequential tiles = [#mx.matmul_tile<slices = 2>]
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  // expected-error @below {{reduction = sequential adds in the order of K, but tile #mx.swap_tile<columns = 128, tokens = 16, splits = 2, parts = 1, stages = 8, token_stages = 4, code_stages = 4, ctas_per_sm = 0> adds each 128 elements in an order of its own [M9]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?xbf16>) reduction = sequential tiles = [#mx.swap_tile<>]
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  // expected-error @below {{reduction = sequential adds in the order of K, but tile #mx.matmul_tile<m = 128, n = 128, stages = 4, ctas = 1, supergroup = 8, buffers = 2, load = tensor, store = tensor, slices = 1, scheduler = static, a = in_flight> adds each 128 elements in an order of its own [M9]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?xbf16>) reduction = sequential tiles = [#mx.matmul_tile<a = in_flight>]
}

// -----
// expected-error @below {{slices must be 1 to 16, found 17}}
#many = #mx.matmul_tile<slices = 17>

// -----
// expected-error @below {{load = element goes with ctas = 1, store = rows and slices = 1}}
#elements = #mx.matmul_tile<load = element, store = rows, slices = 2>

// -----
// expected-error @below {{m must be 16, 32, 48, 64, 96, 128, 192 or 256 a CTA, found 384 with ctas = 1}}
#tile = #mx.matmul_tile<m = 384>

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %bias: memref<64xbf16>, %c: memref<?x64xbf16>) {
  // expected-error @below {{inputs of with(..) must be [.., 1 or M, 1 or N] of bf16, f16 or f32, found 'memref<64xbf16>': a row for all of M is 'memref<1x64xbf16>' [M5]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) with(%bias : memref<64xbf16>) outs(%c : memref<?x64xbf16>) {
  ^bb0(%x: f32, %y: f32):
    mx.yield %x : f32
  }
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  // expected-error @below {{epilogue must end in mx.yield of one value, found 'arith.negf' at its end [M6]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?xbf16>) {
  ^bb0(%x: f32):
    %y = arith.negf %x : f32
  }
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %alpha: f32, %c: memref<?x?xbf16>) {
  // expected-error @below {{operand #4 must be variadic of a memref in with(..) (a scalar argument is used in the region itself), but got 'f32'}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) with(%alpha : f32) outs(%c : memref<?x?xbf16>) {
  ^bb0(%x: f32, %y: f32):
    mx.yield %x : f32
  }
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %alpha: memref<2xf32>, %c: memref<?x?xbf16>) {
  // expected-error @below {{alpha must be memref<1xf32>, found 'memref<2xf32>' [M10]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) alpha(%alpha : memref<2xf32>) outs(%c : memref<?x?xbf16>)
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf4E2M1FN>, %sa: memref<?x?xf8E4M3FN, #scales>, %b: memref<?x?xf4E2M1FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  // expected-error @below {{blocks of a and b must have one length along K, found 16 and 32 [M3]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN, #scales>, memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?xbf16>)
}
