// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @axis(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      // expected-error @+1 {{'axis' is given twice}}
      axis = row rounding = ceil axis = row
}

// -----

mx.kernel @rounding(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      // expected-error @+1 {{'rounding' is given twice}}
      rounding = ceil rounding = floor
}

// -----

mx.kernel @special(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      // expected-error @+1 {{'special' is given twice}}
      special = saturate tiny = exact special = saturate
}

// -----

mx.kernel @compat(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      // expected-error @+1 {{'compat' is given twice}}
      compat = "te" compat = "cublas"
}

// -----

mx.kernel @tiles(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      // expected-error @+1 {{'tiles' is given twice}}
      tiles = [#mx.quantize_tile<>] tiles = [#mx.quantize_tile<>]
}
