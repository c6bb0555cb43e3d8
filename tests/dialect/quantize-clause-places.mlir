// groups and gather stand in any order, amax and column_sum, too; elsewhere, or twice, they are refused by name.
// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @any(%x: memref<?x?xbf16>, %ends: memref<?xi32>, %index: memref<?xi32>, %q: memref<?x?xf8E4M3FN>,
               %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) gather(%index : memref<?xi32>) groups(%ends : memref<?xi32>)
      outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}
mx.kernel @totals(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %a: memref<1xf32>, %b: memref<?xf32>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      column_sum(%b : memref<?xf32>) amax(%a : memref<1xf32>)
}

// -----

mx.kernel @behind(%x: memref<?x?xbf16>, %ends: memref<?xi32>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      // expected-error @+1 {{'groups' stands out of its place: expected it before 'outs'}}
      groups(%ends : memref<?xi32>)
}

// -----

mx.kernel @late(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %a: memref<1xf32>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      // expected-error @+1 {{'amax' stands out of its place: expected it directly after 'outs'}}
      axis = column amax(%a : memref<1xf32>)
}

// -----

mx.kernel @twice(%x: memref<?x?xbf16>, %ends: memref<?xi32>, %more: memref<?xi32>, %q: memref<?x?xf8E4M3FN>,
                 %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) groups(%ends : memref<?xi32>)
      // expected-error @+1 {{'groups' is given twice}}
      groups(%more : memref<?xi32>)
      outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}
