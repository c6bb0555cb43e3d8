// RUN: mxc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{argument 'x' must be a rank-2 memref of bf16, f16, f32, an MX element format or f8E8M0FNU in the default memory space, found 'tensor<4x4xf32>' [K1]}}
mx.kernel @not_a_memref(%x: tensor<4x4xf32>) {
}

// -----

// expected-error @+1 {{found 'memref<?xbf16>' [K1]}}
mx.kernel @rank_1(%x: memref<?xbf16>) {
}

// -----

// expected-error @+1 {{found 'memref<?x?x?xbf16>' [K1]}}
mx.kernel @rank_3(%x: memref<?x?x?xbf16>) {
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
