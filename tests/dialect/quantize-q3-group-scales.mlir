// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @rows(%x: memref<300x64xbf16>, %ends: memref<3xi32>, %q: memref<300x64xf8E4M3FN>, %s: memref<300x2xf8E8M0FNU>) {
  // expected-error @+1 {{scales of groups with align = 1 must have 128 * (ceil(rows/128) + groups - 1) rows along the groups: expected 'memref<640x2xf8E8M0FNU>', found 'memref<300x2xf8E8M0FNU>' [Q3]}}
  mx.quantize ins(%x : memref<300x64xbf16>) groups(%ends : memref<3xi32>)
      outs(%q, %s : memref<300x64xf8E4M3FN>, memref<300x2xf8E8M0FNU>) align = 1
}

// -----

mx.kernel @columns(%x: memref<300x64xbf16>, %ends: memref<3xi32>, %q: memref<64x300xf8E4M3FN>, %s: memref<64x10xf8E8M0FNU>) {
  // expected-error @+1 {{expected 'memref<64x20xf8E8M0FNU>', found 'memref<64x10xf8E8M0FNU>' [Q3]}}
  mx.quantize ins(%x : memref<300x64xbf16>) groups(%ends : memref<3xi32>)
      outs(%q, %s : memref<64x300xf8E4M3FN>, memref<64x10xf8E8M0FNU>) axis = column align = 1
}

// -----

// With align = 128, and where the sizes are right.
mx.kernel @plain(%x: memref<300x64xbf16>, %ends: memref<3xi32>, %q: memref<300x64xf8E4M3FN>, %s: memref<300x2xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<300x64xbf16>) groups(%ends : memref<3xi32>)
      outs(%q, %s : memref<300x64xf8E4M3FN>, memref<300x2xf8E8M0FNU>)
}
mx.kernel @tiles(%x: memref<300x64xbf16>, %ends: memref<3xi32>, %q: memref<300x64xf8E4M3FN>, %s: memref<640x2xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<300x64xbf16>) groups(%ends : memref<3xi32>)
      outs(%q, %s : memref<300x64xf8E4M3FN>, memref<640x2xf8E8M0FNU>) align = 1
}
