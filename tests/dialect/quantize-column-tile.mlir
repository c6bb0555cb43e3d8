// #mx.column_tile: members in any order, those at their default are not printed; what it cannot be.
// RUN: mxc-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK: test.a = #mx.column_tile<>, test.b = #mx.column_tile<load = direct, columns = 256, store_bytes = 4, order = columns, supergroup = 8, ctas_per_sm = 3, when = "M <= 128">
module attributes {
  test.a = #mx.column_tile<load = bulk, columns = 128, store_bytes = 16, order = rows, supergroup = 1, ctas_per_sm = 0>,
  test.b = #mx.column_tile<when = "M <= 128", ctas_per_sm = 3, supergroup = 8, order = columns, store_bytes = 4, columns = 256, load = direct>
} {}

// -----

// expected-error @+1 {{columns must be 128 or 256, found 64}}
module attributes {tile = #mx.column_tile<columns = 64>} {}

// -----

// expected-error @+1 {{store_bytes must be 1, 2, 4, 8 or 16, found 32}}
module attributes {tile = #mx.column_tile<store_bytes = 32>} {}

// -----

// expected-error @+1 {{ctas_per_sm must be 0 to 8, found 9}}
module attributes {tile = #mx.column_tile<ctas_per_sm = 9>} {}

// -----

// expected-error @+1 {{supergroup must be 1 to 64, found 0}}
module attributes {tile = #mx.column_tile<order = columns, supergroup = 0>} {}

// -----

// expected-error @+1 {{supergroup = 4 needs order = columns}}
module attributes {tile = #mx.column_tile<supergroup = 4>} {}
