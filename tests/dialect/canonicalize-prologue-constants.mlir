// Constants of a prologue stay in it: a kernel holds nothing but its one operation.
// RUN: mxc-opt --canonicalize %s | FileCheck %s
// RUN: mxc-opt --canonicalize --cse %s | mxc-opt | FileCheck %s

// CHECK-LABEL: mx.kernel @written
// CHECK-NEXT: mx.quantize
// CHECK-NEXT: ^bb0(%[[V:.*]]: f32):
// CHECK-NEXT: %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: arith.mulf %[[V]], %[[TWO]] : f32
mx.kernel @written(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {
  ^bb0(%v: f32):
    %two = arith.constant 2.0 : f32
    %y = arith.mulf %v, %two : f32
    mx.yield %y : f32
  }
}

// CHECK-LABEL: mx.kernel @folded
// CHECK-NEXT: mx.quantize
// CHECK-NEXT: ^bb0(%[[V:.*]]: f32):
// CHECK-NEXT: %[[SIX:.*]] = arith.constant 6.000000e+00 : f32
// CHECK-NEXT: arith.addf %[[V]], %[[SIX]] : f32
mx.kernel @folded(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {
  ^bb0(%v: f32):
    %two = arith.constant 2.0 : f32
    %three = arith.constant 3.0 : f32
    %six = arith.mulf %two, %three : f32
    %y = arith.addf %six, %v : f32
    mx.yield %y : f32
  }
}

// CHECK-LABEL: mx.kernel @nothing_but_a_constant
// CHECK-NEXT: mx.quantize
// CHECK-NEXT: ^bb0(%{{.*}}: f32):
// CHECK-NEXT: %[[C:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-NEXT: mx.yield %[[C]] : f32
mx.kernel @nothing_but_a_constant(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {
  ^bb0(%v: f32):
    %half = arith.constant 0.5 : f32
    mx.yield %half : f32
  }
}
