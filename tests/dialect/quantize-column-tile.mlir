// #mx.column_tile: members in any order, those at their default are not printed; what it cannot be.
// RUN: mxc-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK: test.a = #mx.column_tile<load = bulk, columns = 128, store_bytes = 16, order = rows, cluster_rows = 1, cluster_columns = 1, ctas_per_sm = 0>, test.b = #mx.column_tile<load = direct, columns = 256, store_bytes = 4, order = columns, cluster_rows = 4, cluster_columns = 2, ctas_per_sm = 3, when = "M <= 128">
module attributes {
  test.a = #mx.column_tile<load = bulk, columns = 128, store_bytes = 16, order = rows, cluster_rows = 1, cluster_columns = 1, ctas_per_sm = 0>,
  test.b = #mx.column_tile<when = "M <= 128", cluster_columns = 2, ctas_per_sm = 3, cluster_rows = 4, order = columns, store_bytes = 4, columns = 256, load = direct>
} {}

// -----

// expected-error @+1 {{columns must be 64, 128 or 256, found 32}}
module attributes {tile = #mx.column_tile<columns = 32>} {}

// -----

// expected-error @+1 {{store_bytes must be 1, 2, 4, 8 or 16, found 32}}
module attributes {tile = #mx.column_tile<store_bytes = 32>} {}

// -----

// expected-error @+1 {{ctas_per_sm must be 0 to 8, found 9}}
module attributes {tile = #mx.column_tile<ctas_per_sm = 9>} {}

// -----

// expected-error @+1 {{cluster_rows x cluster_columns must be 1 to 8 CTAs, found 0 x 1}}
module attributes {tile = #mx.column_tile<cluster_rows = 0>} {}

// -----

// expected-error @+1 {{cluster_rows x cluster_columns must be 1 to 8 CTAs, found 3 x 4}}
module attributes {tile = #mx.column_tile<cluster_rows = 3, cluster_columns = 4>} {}
