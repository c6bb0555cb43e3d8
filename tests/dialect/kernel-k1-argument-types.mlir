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
// expected-error @+1 {{found 'memref<?x?xf8E4M3FNUZ>': the format e4m3 is f8E4M3FN [K1]}}
mx.kernel @fnuz(%x: memref<?x?xf8E4M3FNUZ>) {
}

// -----

// expected-error @+1 {{found 'memref<?x?xbf16, 3>' [K1]}}
mx.kernel @shared_memory(%x: memref<?x?xbf16, 3>) {
}

// -----

// expected-error @+1 {{has 57 arguments, expected at most 56 [K1]}}
mx.kernel @many(%x0: memref<?x?xbf16>, %x1: memref<?x?xbf16>, %x2: memref<?x?xbf16>, %x3: memref<?x?xbf16>, %x4: memref<?x?xbf16>, %x5: memref<?x?xbf16>, %x6: memref<?x?xbf16>, %x7: memref<?x?xbf16>, %x8: memref<?x?xbf16>, %x9: memref<?x?xbf16>, %x10: memref<?x?xbf16>, %x11: memref<?x?xbf16>, %x12: memref<?x?xbf16>, %x13: memref<?x?xbf16>, %x14: memref<?x?xbf16>, %x15: memref<?x?xbf16>, %x16: memref<?x?xbf16>, %x17: memref<?x?xbf16>, %x18: memref<?x?xbf16>, %x19: memref<?x?xbf16>, %x20: memref<?x?xbf16>, %x21: memref<?x?xbf16>, %x22: memref<?x?xbf16>, %x23: memref<?x?xbf16>, %x24: memref<?x?xbf16>, %x25: memref<?x?xbf16>, %x26: memref<?x?xbf16>, %x27: memref<?x?xbf16>, %x28: memref<?x?xbf16>, %x29: memref<?x?xbf16>, %x30: memref<?x?xbf16>, %x31: memref<?x?xbf16>, %x32: memref<?x?xbf16>, %x33: memref<?x?xbf16>, %x34: memref<?x?xbf16>, %x35: memref<?x?xbf16>, %x36: memref<?x?xbf16>, %x37: memref<?x?xbf16>, %x38: memref<?x?xbf16>, %x39: memref<?x?xbf16>, %x40: memref<?x?xbf16>, %x41: memref<?x?xbf16>, %x42: memref<?x?xbf16>, %x43: memref<?x?xbf16>, %x44: memref<?x?xbf16>, %x45: memref<?x?xbf16>, %x46: memref<?x?xbf16>, %x47: memref<?x?xbf16>, %x48: memref<?x?xbf16>, %x49: memref<?x?xbf16>, %x50: memref<?x?xbf16>, %x51: memref<?x?xbf16>, %x52: memref<?x?xbf16>, %x53: memref<?x?xbf16>, %x54: memref<?x?xbf16>, %x55: memref<?x?xbf16>, %x56: memref<?x?xbf16>) {
}

// -----

// The diagnostic stands at the argument.
mx.kernel @places(
    %x: memref<?x?xbf16>,
    // expected-error @+1 {{argument 'q' must be a scalar f32, i32 or i64}}
    %q: memref<?x?xf64>) {
  mx.dequantize ins(%x, %q : memref<?x?xbf16>, memref<?x?xf64>) outs(%x : memref<?x?xbf16>)
}
