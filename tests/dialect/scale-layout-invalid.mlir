// RUN: mxc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{'swizzled' is no scale layout: expected dense, tcgen05}}
module attributes {layout = #mx.scale_layout<swizzled>} {}

// -----

// expected-error @+1 {{scale layout needs a matrix [rows, blocks] or a batch of them, found rank 1}}
module attributes {type = memref<?xf8E8M0FNU, #mx.scale_layout<tcgen05>>} {}

// -----

// expected-error @+1 {{'scales_layout' is no attribute of mx: expected scale_layout, quantize_tile, column_tile, matmul_tile, swap_tile}}
module attributes {layout = #mx.scales_layout<tcgen05>} {}
