// RUN: mxc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{argument 'x' must be a scalar f32, i32 or i64, or a memref of rank 1 to 5 of bf16, f16, f32, i32, i64, an MX element format or f8E8M0FNU in the default memory space, found 'tensor<4x4xf32>' [K1]}}
mx.kernel @not_a_memref(%x: tensor<4x4xf32>) {
}

// -----

// expected-error @+1 {{found 'memref<bf16>' [K1]}}
mx.kernel @rank_0(%x: memref<bf16>) {
}

// -----

// expected-error @+1 {{found 'memref<?x?x?x?x?x?xbf16>' [K1]}}
mx.kernel @rank_6(%x: memref<?x?x?x?x?x?xbf16>) {
}

// -----

// expected-error @+1 {{found 'f64' [K1]}}
mx.kernel @double_scalar(%x: f64) {
}

// -----

// Which ranks it takes says the operation.
mx.kernel @rank_1(%x: memref<?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{operand #0 must be variadic of 2D memref of bfloat16 type or 16-bit float or 32-bit float values, but got 'memref<?xbf16>'}}
  mx.quantize ins(%x : memref<?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}

// -----

// expected-error @+1 {{found 'memref<*xbf16>' [K1]}}
mx.kernel @unranked(%x: memref<*xbf16>) {
}

// -----

// expected-error @+1 {{found 'memref<?x?xf64>' [K1]}}
mx.kernel @double(%x: memref<?x?xf64>) {
}

// -----

// expected-error @+1 {{found 'memref<?x?xi8>' [K1]}}
mx.kernel @integers(%x: memref<?x?xi8>) {
}

// -----

// The other f8: with a zero of its own and no -0.
// expected-error @+1 {{found 'memref<?x?xf8E4M3FNUZ>' [K1]}}
mx.kernel @fnuz(%x: memref<?x?xf8E4M3FNUZ>) {
}

// -----

// expected-error @+1 {{found 'memref<?x?xbf16, 3>' [K1]}}
mx.kernel @shared_memory(%x: memref<?x?xbf16, 3>) {
}
