// RUN: mxc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{argument 's' has a size of 3 that follows from dynamic ones: expected ?, found 'memref<?x3xf8E8M0FNU>' [K7]}}
mx.kernel @blocks(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x3xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x3xf8E8M0FNU>)
}

// -----

// expected-error @+1 {{argument 's' has a size of 768 that follows from dynamic ones}}
mx.kernel @group_rows(%x: memref<?x64xbf16>, %ends: memref<3xi32>, %q: memref<?x64xf8E4M3FN>, %s: memref<768x2xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x64xbf16>) groups(%ends : memref<3xi32>)
      outs(%q, %s : memref<?x64xf8E4M3FN>, memref<768x2xf8E8M0FNU>) align = 1
}

// -----

// Rows are a dimension of their own; blocks follow from 96 columns, of whichever operand.
mx.kernel @known(%x: memref<?x?xbf16>, %q: memref<?x96xf8E4M3FN>, %s: memref<10x3xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x96xf8E4M3FN>, memref<10x3xf8E8M0FNU>)
}

// -----

mx.kernel @known_groups(%x: memref<400x64xbf16>, %ends: memref<3xi32>, %q: memref<?x64xf8E4M3FN>, %s: memref<768x2xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<400x64xbf16>) groups(%ends : memref<3xi32>)
      outs(%q, %s : memref<?x64xf8E4M3FN>, memref<768x2xf8E8M0FNU>) align = 1
}
