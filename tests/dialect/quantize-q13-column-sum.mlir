// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @groups(%x: memref<?x?xbf16>, %ends: memref<?xi32>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>,
                  %b: memref<?xf32>) {
  // expected-error @+1 {{column_sum is that of a whole matrix, found beside groups(..) [Q13]}}
  mx.quantize ins(%x : memref<?x?xbf16>) groups(%ends : memref<?xi32>)
      outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) column_sum(%b : memref<?xf32>)
}

// -----

mx.kernel @length(%x: memref<?x64xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %b: memref<65xf32>) {
  // expected-error @+1 {{column_sum must have the 64 columns of the data, found 'memref<65xf32>' [Q13]}}
  mx.quantize ins(%x : memref<?x64xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      column_sum(%b : memref<65xf32>)
}

// -----

// Both are outputs of any axis; tiles are those of columns.
mx.kernel @totals(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %a: memref<1xf32>, %b: memref<?xf32>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      amax(%a : memref<1xf32>) column_sum(%b : memref<?xf32>) axis = row tiles = [#mx.column_tile<>]
}
