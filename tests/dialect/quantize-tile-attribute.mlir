// Members in any order; those at their default are not printed.
// RUN: mxc-opt %s | mxc-opt | FileCheck %s

// CHECK: module attributes {
// CHECK-SAME: test.a = #mx.quantize_tile<variant = direct, warps = 8, rows_per_warp = 4, lane_elements = 8, access = vector, order = columns>,
// CHECK-SAME: test.b = #mx.quantize_tile<variant = direct, warps = 8, rows_per_warp = 4, lane_elements = 8, access = vector, order = columns>,
// CHECK-SAME: test.c = #mx.quantize_tile<variant = bulk, warps = 1, rows_per_warp = 1, lane_elements = 4, access = vector, order = rows, when = "M <= 128">,
// CHECK-SAME: test.d = #mx.quantize_tile<variant = direct, warps = 32, rows_per_warp = 4, lane_elements = 32, access = element, order = columns>,
// CHECK-SAME: test.e = #mx.quantize_tile<variant = direct, warps = 16, rows_per_warp = 4, lane_elements = 16, access = vector, order = columns, when = "K % 64 == 0 || M < 3">,
// CHECK-SAME: test.f = #mx.quantize_tile<variant = direct, warps = 2, rows_per_warp = 4, lane_elements = 8, access = vector, order = columns>,
// CHECK-SAME: test.g = #mx.scale_layout<dense>,
// CHECK-SAME: test.h = #mx.scale_layout<tcgen05>
module attributes {
  test.a = #mx.quantize_tile<>,
  test.b = #mx.quantize_tile<variant = direct, warps = 8, rows_per_warp = 4, lane_elements = 8, access = vector, order = columns>,
  test.c = #mx.quantize_tile<when = "M <= 128", order = rows, lane_elements = 4, rows_per_warp = 1, warps = 1, variant = bulk>,
  test.d = #mx.quantize_tile<access = element, lane_elements = 32, warps = 32>,
  test.e = #mx.quantize_tile<lane_elements = 16, when = "K % 64 == 0 || M < 3", warps = 16>,
  test.f = #mx.quantize_tile<warps = 2>,
  test.g = #mx.scale_layout<dense>,
  test.h = #mx.scale_layout<tcgen05>
} {
}
