// RUN: mxc-opt %s -split-input-file -verify-diagnostics

!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
mx.kernel @misspelt(%x: memref<?x?xbf16>, %q: !codes, %s: !scales) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : !codes, !scales)
      // expected-error @+1 {{'round' is no clause: expected rounding, axis, block, transpose, align, special, tiny, compat, hadamard, four_over_six, tiles}}
      round = ceil
}

// -----

!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
mx.kernel @misspelt(%q: !codes, %s: !scales, %x: memref<?x?xbf16>) {
  mx.dequantize ins(%q, %s : !codes, !scales) outs(%x : memref<?x?xbf16>)
      // expected-error @+1 {{'rounding' is no clause: expected block, tiles}}
      rounding = ceil
}

// -----

!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
mx.kernel @misspelt(%a: !codes, %sa: !scales, %b: !codes, %sb: !scales, %c: memref<?x?xf32>) {
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !scales, !codes, !scales) outs(%c : memref<?x?xf32>) accumulate
      // expected-error @+1 {{'order' is no clause: expected parts, block, reduction, accumulate, constant, rounding, special, tiny, compat, tiles}}
      order = sequential
}

// -----

!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
mx.kernel @word(%a: !codes, %sa: !scales, %b: !codes, %sb: !scales, %c: memref<?x?xf32>) {
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !scales, !codes, !scales) outs(%c : memref<?x?xf32>)
      // expected-error @+1 {{'ordered' is no reduction: expected any, sequential}}
      reduction = ordered
}

// -----

!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
mx.kernel @constant(%a: !codes, %sa: !scales, %b: !codes, %sb: !scales, %c: memref<?x?xf32>) {
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !scales, !codes, !scales) outs(%c : memref<?x?xf32>)
      // expected-error @+1 {{expected 'b', the operand that may be constant}}
      constant = a
}

// -----

!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
mx.kernel @twice(%a: !codes, %sa: !scales, %b: !codes, %sb: !scales, %c: memref<?x?xf32>) {
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !scales, !codes, !scales) outs(%c : memref<?x?xf32>) accumulate
      // expected-error @+1 {{'accumulate' is given twice}}
      accumulate
}

// -----

!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
mx.kernel @late(%a: !codes, %sa: !scales, %b: !codes, %sb: !scales, %bias: memref<1x?xf32>, %c: memref<?x?xf32>) {
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !scales, !codes, !scales) outs(%c : memref<?x?xf32>)
      // expected-error @+1 {{'with' stands out of its place: expected it before 'outs'}}
      with(%bias : memref<1x?xf32>)
}

// -----

!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
mx.kernel @forgotten(%a: !codes, %sa: !scales, %b: !codes, %sb: !scales, %bias: memref<1x?xf32>, %c: memref<?x?xf32>) {
  // expected-error @+1 {{ins takes a, its scales, b and its scales (4), found 5 operands: the epilogue's inputs stand in with(..), before outs}}
  mx.matmul ins(%a, %sa, %b, %sb, %bias : !codes, !scales, !codes, !scales, memref<1x?xf32>) outs(%c : memref<?x?xf32>)
}

// -----

!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
mx.kernel @short(%a: !codes, %b: !codes, %c: memref<?x?xf32>) {
  // expected-error @+1 {{ins takes a, its scales, b and its scales (4), found 2 operands: mx.quantize makes both from a matrix of values}}
  mx.matmul ins(%a, %b : !codes, !codes) outs(%c : memref<?x?xf32>)
}

// -----

!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
mx.kernel @types(%a: !codes, %sa: !scales, %b: !codes, %sb: !scales, %c: memref<?x?xf32>) {
  // expected-error @+1 {{ins takes a, its scales, b and its scales (4), found 2 types}}
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !scales) outs(%c : memref<?x?xf32>)
}

// -----

!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
mx.kernel @results(%a: !codes, %sa: !scales, %b: !codes, %sb: !scales, %c: memref<?x?xf32>, %d: memref<?x?xf32>) {
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !scales, !codes, !scales)
      // expected-error @+1 {{expected a type, found an operand: all results stand before ':', and their types after it}}
      outs(%c : memref<?x?xf32>, %d : memref<?x?xf32>)
}

// -----

!scales = memref<?x?xf8E8M0FNU>
!tiles = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
mx.kernel @none(%s: !scales, %t: !tiles) {
  // expected-error @+1 {{'axis' is no clause: expected none}}
  mx.pack_scales ins(%s : !scales) outs(%t : !tiles) axis = row
}

// -----

!scales = memref<?x?xf8E8M0FNU>
mx.kernel @empty(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: !scales) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, !scales)
  // expected-error @+1 {{expected operations that end in mx.yield in the region, found none}}
    axis = row {
  }
}

// -----

!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
mx.kernel @empty(%a: !codes, %sa: !scales, %b: !codes, %sb: !scales, %c: memref<?x?xf32>) {
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !scales, !codes, !scales)
      // expected-error @+1 {{expected operations that end in mx.yield in the region, found none}}
      outs(%c : memref<?x?xf32>) {}
}
