// Tiles of few rows and columns: what they cannot store, load or be for.
// RUN: mxc-opt %s -split-input-file --mx-lower-kernels=target=sm_90a -verify-diagnostics

!codes = memref<?x?xf8E4M3FN>
!lines = memref<?x?xf32, #mx.scale_layout<mn_major>>
mx.kernel @store(%a: !codes, %sa: !lines, %b: !codes, %sb: memref<?x?xf32>, %c: memref<?x?xbf16>) {
  // expected-error @+1 {{has n = 32 a CTA, store = tensor takes 64 and up}}
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !lines, !codes, memref<?x?xf32>) outs(%c : memref<?x?xbf16>) block = 1x128 by 128x128 tiles = [#mx.matmul_tile<m = 16, n = 64, stages = 3, ctas = 2, share = a>]
}

// -----

!codes = memref<?x?xf8E4M3FN>
!lines = memref<?x?xf32, #mx.scale_layout<mn_major>>
mx.kernel @load(%a: !codes, %sa: !lines, %b: !codes, %sb: memref<?x?xf32>, %c: memref<?x?xbf16>) {
  // expected-error @+1 {{has load = element, which takes m of whole 64 and n of 64 and up}}
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !lines, !codes, memref<?x?xf32>) outs(%c : memref<?x?xbf16>) block = 1x128 by 128x128 tiles = [#mx.matmul_tile<m = 16, n = 64, load = element, store = rows>]
}

// -----

!codes = memref<?x?xf8E4M3FN>
!lines = memref<?x?xf32, #mx.scale_layout<mn_major>>
mx.kernel @groups_of_k(%a: !codes, %sa: !lines, %b: !codes, %sb: !lines, %ends: memref<?xi32>, %c: memref<?x?x?xf32>) {
  // expected-error @+1 {{has 4 steps along K a stage (m = 32, n = 32 a CTA), ragged = k takes 1: groups begin at any step}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : !codes, !lines, !codes, !lines) groups(%ends : memref<?xi32>) outs(%c : memref<?x?x?xf32>) ragged = k block = 1x128 tiles = [#mx.matmul_tile<m = 32, n = 32, store = rows>]
}

// -----

!codes = memref<?x?xf8E4M3FN>
!lines = memref<?x?xf32, #mx.scale_layout<mn_major>>
!weights = memref<?x?x?xf8E4M3FN>
mx.kernel @swapped(%a: !codes, %sa: !lines, %b: !weights, %sb: memref<?x?x?xf32>, %ends: memref<?xi32>, %c: memref<?x?xbf16>) {
  // expected-error @+1 {{tile #mx.swap_tile<columns = 128, tokens = 16, splits = 1, parts = 1, stages = 8, token_stages = 4, code_stages = 4, ctas_per_sm = 0> is not for this target (sm_90a)}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : !codes, !lines, !weights, memref<?x?x?xf32>) groups(%ends : memref<?xi32>) outs(%c : memref<?x?xbf16>) block = 1x128 by 128x128 tiles = [#mx.swap_tile<splits = 1>]
}

// -----

#scales = #mx.scale_layout<tcgen05>
mx.kernel @blocks(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
                  %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  // expected-error @+1 {{has n = 32, sm_90a takes 64 and up for this block format}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>)
            outs(%c : memref<?x?xbf16>) tiles = [#mx.matmul_tile<n = 32>]
}

// -----

#scales = #mx.scale_layout<tcgen05>
mx.kernel @blocks_of_32(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
                  %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  // expected-error @+1 {{has n = 96, sm_90a takes multiples of 64 for this block format}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>)
            outs(%c : memref<?x?xbf16>) tiles = [#mx.matmul_tile<n = 96>]
}

// -----

!codes = memref<?x?xf8E4M3FN>
!lines = memref<?x?xf32, #mx.scale_layout<mn_major>>
mx.kernel @halves(%a: !codes, %sa: !lines, %b: !codes, %sb: !lines, %c: memref<?x?xbf16>) {
  // expected-error @+1 {{has n = 96 with ctas = 2, whose halves of b have 192 bytes of scales: expected multiples of 128, or share = a}}
  mx.matmul ins(%a, %sa, %b, %sb : !codes, !lines, !codes, !lines) outs(%c : memref<?x?xbf16>) block = 1x128 tiles = [#mx.matmul_tile<m = 256, n = 96, ctas = 2>]
}
