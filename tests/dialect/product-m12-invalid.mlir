// RUN: mxc-opt %s -split-input-file -verify-diagnostics
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<3x?x?xf8E4M3FN>,
             %sb: memref<3x?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  // expected-error @below {{parts must be 2, found 3 [M12]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<3x?x?xf8E4M3FN>, memref<3x?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?xbf16>) parts = 3 {
  ^bb0(%x: f32, %y: f32):
    mx.yield %x : f32
  }
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<2x?x?xf8E4M3FN>,
             %sb: memref<2x?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  // expected-error @below {{parts need an epilogue that makes one value of both products [M12]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<2x?x?xf8E4M3FN>, memref<2x?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?xbf16>) parts = 2
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<2x?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  // expected-error @below {{b and its scales must be [2, rows, columns] with parts = 2, found 'memref<?x?xf8E4M3FN>' [M12]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<2x?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?xbf16>) parts = 2 {
  ^bb0(%x: f32, %y: f32):
    mx.yield %x : f32
  }
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<2x?x?xf8E4M3FN>,
             %sb: memref<3x?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  // expected-error @below {{b and its scales must be [2, rows, columns] with parts = 2, found 'memref<3x?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>' [M12]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<2x?x?xf8E4M3FN>, memref<3x?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?xbf16>) parts = 2 {
  ^bb0(%x: f32, %y: f32):
    mx.yield %x : f32
  }
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<2x?x?xf8E4M3FN>,
             %sb: memref<2x?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %c: memref<?x?xbf16>) {
  // expected-error @below {{b and its scales must be [G, 2, rows, columns] with parts = 2, found 'memref<2x?x?xf8E4M3FN>' [M12]}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<2x?x?xf8E4M3FN>, memref<2x?x?xf8E8M0FNU, #scales>) groups(%ends : memref<?xi32>) outs(%c : memref<?x?xbf16>) parts = 2 {
  ^bb0(%x: f32, %y: f32):
    mx.yield %x : f32
  }
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?x?xf8E4M3FN>, %sa: memref<?x?x?xf8E8M0FNU, #scales>, %b: memref<2x?x?xf8E4M3FN>,
             %sb: memref<2x?x?xf8E8M0FNU, #scales>, %c: memref<?x?x?xbf16>) {
  // expected-error @below {{parts are not for batches [M12]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?x?xf8E4M3FN>, memref<?x?x?xf8E8M0FNU, #scales>, memref<2x?x?xf8E4M3FN>, memref<2x?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?x?xbf16>) parts = 2 {
  ^bb0(%x: f32, %y: f32):
    mx.yield %x : f32
  }
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<2x?x?xf8E4M3FN>,
             %sb: memref<2x?x?xf8E8M0FNU, #scales>, %ends: memref<?xi32>, %c: memref<?x?x?xbf16>) {
  // expected-error @below {{parts are not for ragged = k [M12]}}
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<2x?x?xf8E4M3FN>, memref<2x?x?xf8E8M0FNU, #scales>) groups(%ends : memref<?xi32>) outs(%c : memref<?x?x?xbf16>) ragged = k parts = 2 {
  ^bb0(%x: f32, %y: f32):
    mx.yield %x : f32
  }
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<2x?x?xf8E4M3FN>,
             %sb: memref<2x?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  // expected-error @below {{epilogue must take 2 f32 (both products, and one for each input that with(..) names before outs), found ('f32') [M6]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<2x?x?xf8E4M3FN>, memref<2x?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?xbf16>) parts = 2 {
  ^bb0(%x: f32):
    mx.yield %x : f32
  }
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<2x?x?xf8E4M3FN>,
             %sb: memref<2x?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  // expected-error @below {{but tile #mx.matmul_tile<m = 128, n = 128, stages = 4, ctas = 1, supergroup = 8, buffers = 2, load = tensor, store = tensor, slices = 2, scheduler = static> has several slices [M12]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<2x?x?xf8E4M3FN>, memref<2x?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?xbf16>) parts = 2 tiles = [#mx.matmul_tile<slices = 2>] {
  ^bb0(%x: f32, %y: f32):
    mx.yield %x : f32
  }
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<2x?x?xf8E4M3FN>,
             %sb: memref<2x?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  // expected-error @below {{has columns = 64, of which no part has a warpgroup's 64 [M12]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<2x?x?xf8E4M3FN>, memref<2x?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?xbf16>) parts = 2 tiles = [#mx.swap_tile<columns = 64>] {
  ^bb0(%x: f32, %y: f32):
    mx.yield %x : f32
  }
}

// -----
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<2x?x?xf8E4M3FN>,
             %sb: memref<2x?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  // expected-error @below {{operands must have one rank, 2, found 'memref<2x?x?xf8E4M3FN>' [M1]}}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<2x?x?xf8E4M3FN>, memref<2x?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?xbf16>)  {
  ^bb0(%x: f32):
    mx.yield %x : f32
  }
}
