// What stands in a clause and has another type is refused with the clause's constraint.
// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @ends(%x: memref<?x?xbf16>, %ends: memref<?xi64>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{operand #1 must be the groups' ends, memref<?xi32> [Q10], but got 'memref<?xi64>'}}
  mx.quantize ins(%x : memref<?x?xbf16>) groups(%ends : memref<?xi64>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}

// -----

mx.kernel @gather(%x: memref<?x?xbf16>, %index: memref<?x1xi32>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{operand #1 must be the rows to gather, memref<?xi32> [Q11], but got 'memref<?x1xi32>'}}
  mx.quantize ins(%x : memref<?x?xbf16>) gather(%index : memref<?x1xi32>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}

// -----

mx.kernel @amax(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %a: memref<1xbf16>) {
  // expected-error @+1 {{operand #3 must be amax, memref<1xf32> [Q12], but got 'memref<1xbf16>'}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) amax(%a : memref<1xbf16>)
}

// -----

mx.kernel @sums(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %b: f32) {
  // expected-error @+1 {{operand #3 must be column_sum, memref<?xf32> [Q13], but got 'f32'}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) column_sum(%b : f32)
}
