// RUN: mxc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{argument 'unused' must be used exactly once, found 0 uses [K3]}}
mx.kernel @unused(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %unused: memref<?x?xf32>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}

// -----

// expected-error @+1 {{argument 'x' must be used exactly once, found 2 uses [K3]}}
mx.kernel @twice(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x, %x : memref<?x?xbf16>, memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {
  ^bb0(%a: f32, %b: f32):
    %y = arith.mulf %a, %b : f32
    mx.yield %y : f32
  }
}

// -----

// A scalar may stand in the region alone, and there several times.
mx.kernel @scalar(%x: memref<?x?xbf16>, %alpha: f32, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {
  ^bb0(%a: f32):
    %b = arith.mulf %a, %alpha : f32
    %c = arith.addf %b, %alpha : f32
    mx.yield %c : f32
  }
}

// -----

// expected-error @+1 {{argument 'alpha' must be used at least once, found 0 uses [K3]}}
mx.kernel @unused_scalar(%x: memref<?x?xbf16>, %alpha: f32, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}
