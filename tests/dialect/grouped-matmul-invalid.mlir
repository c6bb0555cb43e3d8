// RUN: mxc-opt %s -split-input-file -verify-diagnostics
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?x?xf8E4M3FN>, %sa: memref<?x?x?xf8E8M0FNU, #scales>, %b: memref<?x?x?xf8E4M3FN>,
             %sb: memref<?x?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %c: memref<?x?xbf16>) {
  // expected-error @below {{a must be a matrix, found 'memref<?x?x?xf8E4M3FN>' [GM1]}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?x?xf8E4M3FN>, memref<?x?x?xf8E8M0FNU, #scales>, memref<?x?x?xf8E4M3FN>, memref<?x?x?xf8E8M0FNU, #scales>) groups(%ends : memref<?xi32>) outs(%c : memref<?x?xbf16>)
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %c: memref<?x?xbf16>) {
  // expected-error @below {{b must be a matrix for every group, of rank 3, found 'memref<?x?xf8E4M3FN>' [GM1]}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) groups(%ends : memref<?xi32>) outs(%c : memref<?x?xbf16>)
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %c: memref<?x?xbf16>) {
  // expected-error @below {{scales of b must be a matrix for every group, of rank 3, found 'memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>' [GM1]}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) groups(%ends : memref<?xi32>) outs(%c : memref<?x?xbf16>)
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?x?xf8E4M3FN>,
             %sb: memref<?x?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %w: memref<?x?x?xbf16>, %c: memref<?x?xbf16>) {
  // expected-error @below {{inputs of with(..) that are a group's own must be [G, 1, 1 or N], found 'memref<?x?x?xbf16>' [GM1]}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?x?xf8E4M3FN>, memref<?x?x?xf8E8M0FNU, #scales>) groups(%ends : memref<?xi32>) with(%w : memref<?x?x?xbf16>) outs(%c : memref<?x?xbf16>) {
  ^bb0(%x: f32, %y: f32):
    mx.yield %x : f32
  }
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?x?xf8E4M3FN>,
             %sb: memref<?x?x?xf8E8M0FNU, #scales>, %ends: memref<?xi64>, %c: memref<?x?xbf16>) {
  // expected-error @below {{operand #4 must be the groups' ends, memref<?xi32> [GM2], but got 'memref<?xi64>'}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?x?xf8E4M3FN>, memref<?x?x?xf8E8M0FNU, #scales>) groups(%ends : memref<?xi64>) outs(%c : memref<?x?xbf16>)
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?x?xf8E4M3FN>,
             %sb: memref<?x?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %c: memref<?x?xbf16>) {
  // expected-error @below {{align must be 1 or 128, found 64 [GM2]}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?x?xf8E4M3FN>, memref<?x?x?xf8E8M0FNU, #scales>) groups(%ends : memref<?xi32>) outs(%c : memref<?x?xbf16>) align = 64
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?x?xf8E4M3FN>,
             %sb: memref<?x?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %c: memref<?x?xbf16>) {
  // expected-error @below {{has several slices [GM3]}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?x?xf8E4M3FN>, memref<?x?x?xf8E8M0FNU, #scales>) groups(%ends : memref<?xi32>) outs(%c : memref<?x?xbf16>) tiles = [#mx.matmul_tile<slices = 2>]
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?x?xf8E4M3FN>,
             %sb: memref<?x?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %c: memref<?x?xbf16>) {
  // expected-error @below {{groups take tiles of one slice, but tile #mx.matmul_tile<m = 256, n = 128, stages = 4, ctas = 2, supergroup = 8, buffers = 2, load = tensor, store = tensor, slices = 2, scheduler = clc> has several slices [GM3]}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?x?xf8E4M3FN>, memref<?x?x?xf8E8M0FNU, #scales>) groups(%ends : memref<?xi32>) outs(%c : memref<?x?xbf16>) tiles = [#mx.matmul_tile<m = 256, ctas = 2, slices = 2, scheduler = clc>]
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %c: memref<?x?x?xbf16>) {
  // expected-error @below {{has steps of 768 elements along K [GM3]}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) groups(%ends : memref<?xi32>) outs(%c : memref<?x?x?xbf16>) ragged = k tiles = [#mx.matmul_tile<ctas = 2, m = 256, mma_k = 96>]
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?x?xf8E4M3FN>,
             %sb: memref<?x?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %c: memref<?x?xbf16>) {
  // expected-error @below {{makes bf16 copies of a, to whose blocks groups do not keep [GM3]}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?x?xf8E4M3FN>, memref<?x?x?xf8E8M0FNU, #scales>) groups(%ends : memref<?xi32>) outs(%c : memref<?x?xbf16>) tiles = [#mx.swap_tile<code_stages = 0>]
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x64xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?x96xf8E4M3FN>,
             %sb: memref<?x?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %c: memref<?x?xbf16>) {
  // expected-error @below {{K is 64, found 'memref<?x?x96xf8E4M3FN>' [M2]}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x64xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?x96xf8E4M3FN>, memref<?x?x?xf8E8M0FNU, #scales>) groups(%ends : memref<?xi32>) outs(%c : memref<?x?xbf16>)
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<4x?x?xf8E4M3FN>,
             %sb: memref<?x?x?xf8E8M0FNU, #scales>, %ends: memref<5xi32>, %c: memref<?x?xbf16>) {
  // expected-error @below {{G is 4, found 'memref<5xi32>' [M2]}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<4x?x?xf8E4M3FN>, memref<?x?x?xf8E8M0FNU, #scales>) groups(%ends : memref<5xi32>) outs(%c : memref<?x?xbf16>)
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU>, %b: memref<?x?x?xf8E4M3FN>,
             %sb: memref<?x?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %c: memref<?x?xbf16>) {
  // expected-error @below {{scales of a must have the layout #mx.scale_layout<tcgen05>, found 'memref<?x?xf8E8M0FNU>': mx.pack_scales makes them of dense ones [M3]}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>, memref<?x?x?xf8E4M3FN>, memref<?x?x?xf8E8M0FNU, #scales>) groups(%ends : memref<?xi32>) outs(%c : memref<?x?xbf16>)
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?x?xf8E4M3FN>,
             %sb: memref<?x?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %c: memref<?x?xbf16>) {
  // expected-error @below {{reduction = sequential adds in the order of K, but tile #mx.matmul_tile<m = 128, n = 128, stages = 4, ctas = 1, supergroup = 8, buffers = 2, load = tensor, store = tensor, slices = 1, scheduler = static, a = in_flight> adds each 128 elements in an order of its own [M9]}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?x?xf8E4M3FN>, memref<?x?x?xf8E8M0FNU, #scales>) groups(%ends : memref<?xi32>) outs(%c : memref<?x?xbf16>) reduction = sequential tiles = [#mx.matmul_tile<a = in_flight>]
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?x?xf8E4M3FN>,
             %sb: memref<?x?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %c: memref<?x?x?xbf16>) {
  // expected-error @below {{b must be a matrix, found 'memref<?x?x?xf8E4M3FN>' [GM1]}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?x?xf8E4M3FN>, memref<?x?x?xf8E8M0FNU, #scales>) groups(%ends : memref<?xi32>) outs(%c : memref<?x?x?xbf16>) ragged = k
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %c: memref<?x?xbf16>) {
  // expected-error @below {{results must be a matrix for every group, of rank 3, found 'memref<?x?xbf16>' [GM1]}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) groups(%ends : memref<?xi32>) outs(%c : memref<?x?xbf16>) ragged = k
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %c: memref<?x?x?xbf16>) {
  // expected-error @below {{align must be 128 with ragged = k, whose steps are groups' own, found 1 [GM2]}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) groups(%ends : memref<?xi32>) outs(%c : memref<?x?x?xbf16>) ragged = k align = 1
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?x?xf8E4M3FN>,
             %sb: memref<?x?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %index: memref<?xi64>, %c: memref<?x?xbf16>) {
  // expected-error @below {{operand #5 must be the rows of a to gather, memref<?xi32> [GM4], but got 'memref<?xi64>'}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?x?xf8E4M3FN>, memref<?x?x?xf8E8M0FNU, #scales>) groups(%ends : memref<?xi32>) gather(%index : memref<?xi64>) outs(%c : memref<?x?xbf16>)
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %index: memref<?xi32>, %c: memref<?x?x?xf32>) {
  // expected-error @below {{gather is for ragged = m: groups of K have no rows of their own [GM4]}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) groups(%ends : memref<?xi32>) gather(%index : memref<?xi32>) outs(%c : memref<?x?x?xf32>) ragged = k
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?x?xf8E4M3FN>,
             %sb: memref<?x?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %index: memref<?xi32>, %c: memref<?x?xbf16>) {
  // expected-error @below {{gather takes tiles whose CTAs bring rows of their own, but tile #mx.matmul_tile<m = 128, n = 256, stages = 4, ctas = 2, supergroup = 8, buffers = 2, load = tensor, store = tensor, slices = 1, scheduler = static, share = a> has share = a [GM4]}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?x?xf8E4M3FN>, memref<?x?x?xf8E8M0FNU, #scales>) groups(%ends : memref<?xi32>) gather(%index : memref<?xi32>) outs(%c : memref<?x?xbf16>) tiles = [#mx.matmul_tile<m = 128, n = 256, ctas = 2, share = a>]
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?x?xf8E4M3FN>,
             %sb: memref<?x?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %index: memref<16xi32>, %c: memref<32x?xbf16>) {
  // expected-error @below {{M is 16, found 'memref<32x?xbf16>' [M2]}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?x?xf8E4M3FN>, memref<?x?x?xf8E8M0FNU, #scales>) groups(%ends : memref<?xi32>) gather(%index : memref<16xi32>) outs(%c : memref<32x?xbf16>)
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?x?xf8E4M3FN>,
             %sb: memref<?x?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %c: memref<?x?xbf16>) {
  // expected-error @below {{tiles must be #mx.matmul_tile<...> or #mx.swap_tile<...>, found #mx.quantize_tile<}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?x?xf8E4M3FN>, memref<?x?x?xf8E8M0FNU, #scales>) groups(%ends : memref<?xi32>) outs(%c : memref<?x?xbf16>) tiles = [#mx.quantize_tile<>]
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?x?xf8E4M3FN>,
             %sb: memref<?x?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %c: memref<?x?xbf16>) {
  // expected-error @below {{a = copied_alone> adds each 128 elements in an order of its own [M9]}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?x?xf8E4M3FN>, memref<?x?x?xf8E8M0FNU, #scales>) groups(%ends : memref<?xi32>) outs(%c : memref<?x?xbf16>) reduction = sequential tiles = [#mx.matmul_tile<a = copied_alone>]
}
