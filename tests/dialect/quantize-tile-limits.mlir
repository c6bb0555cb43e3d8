// RUN: mxc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{warps must be 1, 2, 4, 8, 16 or 32, found 3}}
module attributes {tile = #mx.quantize_tile<warps = 3>} {}

// -----

// expected-error @+1 {{warps must be 1, 2, 4, 8, 16 or 32, found 64}}
module attributes {tile = #mx.quantize_tile<warps = 64>} {}

// -----

// expected-error @+1 {{rows_per_warp must be 1 or 4, found 2}}
module attributes {tile = #mx.quantize_tile<rows_per_warp = 2>} {}

// -----

// expected-error @+1 {{lane_elements must be 4, 8, 16 or 32, found 2}}
module attributes {tile = #mx.quantize_tile<lane_elements = 2>} {}

// -----

// expected-error @+1 {{variant = bulk needs access = vector}}
module attributes {tile = #mx.quantize_tile<variant = bulk, access = element>} {}

// -----

// A box of a tensor map has at most 256 elements a side.
// expected-error @+1 {{variant = bulk needs lane_elements of at most 8, found 16}}
module attributes {tile = #mx.quantize_tile<variant = bulk, lane_elements = 16>} {}

// -----

// expected-error @+1 {{'indirect' is no variant: expected direct, bulk}}
module attributes {tile = #mx.quantize_tile<variant = indirect>} {}

// -----

// expected-error @+1 {{'columns' is no member of a tile: expected variant, warps, rows_per_warp, lane_elements, access, order, when}}
module attributes {tile = #mx.quantize_tile<columns = 256>} {}

// -----

// expected-error @+1 {{'warps' is given twice}}
module attributes {tile = #mx.quantize_tile<warps = 4, warps = 8>} {}

// -----

// expected-error @+1 {{expected a number as 'warps'}}
module attributes {tile = #mx.quantize_tile<warps = many>} {}

// -----

// expected-error @+1 {{expected direct, bulk}}
module attributes {tile = #mx.quantize_tile<variant = 2>} {}

// -----

// expected-error @+1 {{expected variant, warps, rows_per_warp, lane_elements, access, order, when}}
module attributes {tile = #mx.quantize_tile<4>} {}
