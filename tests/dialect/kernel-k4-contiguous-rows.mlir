// RUN: mxc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{argument 'x' must have contiguous rows and no offset: the default layout or strided<[.., S, 1]>, found 'memref<?x?xbf16, strided<[1, ?]>>' [K4]}}
mx.kernel @column_major(%x: memref<?x?xbf16, strided<[1, ?]>>) {
}

// -----

// expected-error @+1 {{found 'memref<?x?xbf16, strided<[?, 2]>>' [K4]}}
mx.kernel @every_second(%x: memref<?x?xbf16, strided<[?, 2]>>) {
}

// -----

// expected-error @+1 {{found 'memref<?x?xbf16, strided<[?, 1], offset: 8>>' [K4]}}
mx.kernel @offset(%x: memref<?x?xbf16, strided<[?, 1], offset: 8>>) {
}

// -----

// expected-error @+1 {{found 'memref<?x?xbf16, strided<[?, 1], offset: ?>>' [K4]}}
mx.kernel @dynamic_offset(%x: memref<?x?xbf16, strided<[?, 1], offset: ?>>) {
}

// -----

// expected-error @+1 {{argument 'x' has rows that lie 32 elements apart, expected at least 64 [K4]}}
mx.kernel @overlap(%x: memref<?x64xbf16, strided<[32, 1]>>) {
}

// -----

// expected-error @+1 {{argument 'q' has a scale layout, which is for scales, found 'memref<?x?xf8E4M3FN, #mx.scale_layout<tcgen05>>' [K4]}}
mx.kernel @scale_layout_of_data(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN, #mx.scale_layout<tcgen05>>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN, #mx.scale_layout<tcgen05>>, memref<?x?xf8E8M0FNU>)
}

// -----

// Matrices of a batch lie one after the other, too.
// expected-error @+1 {{argument 'x' has rows that lie 64 elements apart, expected at least 256 [K4]}}
mx.kernel @overlapping_batch(%x: memref<?x4x64xbf16, strided<[64, 64, 1]>>) {
}

// -----

// expected-error @+1 {{argument 'x' must have contiguous rows and no offset}}
mx.kernel @strided_vector(%x: memref<?xbf16, strided<[2]>>) {
}

// -----

#transposed = affine_map<(r, c) -> (c, r)>
// expected-error @+1 {{must have contiguous rows and no offset}}
mx.kernel @transposed(%x: memref<?x?xbf16, #transposed>) {
}
