// RUN: mxc-opt %s | mxc-opt | FileCheck %s
// RUN: mxc-opt --mlir-print-op-generic %s | mxc-opt | FileCheck %s

// CHECK-LABEL: mx.kernel @swiglu
mx.kernel @swiglu(%gate: memref<?x?xbf16>, %up: memref<?x?xf32>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK-NEXT: mx.quantize ins(%gate, %up : memref<?x?xbf16>, memref<?x?xf32>) outs(%q, %s : {{.*}}) axis = row {
  mx.quantize ins(%gate, %up : memref<?x?xbf16>, memref<?x?xf32>)
      outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) axis = row {
  // CHECK-NEXT: ^bb0(%[[G:.*]]: f32, %[[U:.*]]: f32):
  ^bb0(%g: f32, %u: f32):
    // CHECK: %[[E:.*]] = math.exp %{{.*}} fastmath<afn> : f32
    %one = arith.constant 1.0 : f32
    %n = arith.negf %g : f32
    %e = math.exp %n fastmath<afn> : f32
    %d = arith.addf %e, %one : f32
    // CHECK: arith.divf %[[G]], %{{.*}} fastmath<afn> : f32
    %sig = arith.divf %g, %d fastmath<afn> : f32
    // CHECK: %[[Y:.*]] = arith.mulf %{{.*}}, %[[U]] : f32
    %y = arith.mulf %sig, %u : f32
    // CHECK-NEXT: mx.yield %[[Y]] : f32
    mx.yield %y : f32
  }
}

// Integers are scalars too.
// CHECK-LABEL: mx.kernel @clear_low_bits
mx.kernel @clear_low_bits(%x: memref<?x?xf32>, %q: memref<?x?xf8E5M2>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xf32>) outs(%q, %s : memref<?x?xf8E5M2>, memref<?x?xf8E8M0FNU>) {
  ^bb0(%v: f32):
    // CHECK: arith.bitcast %{{.*}} : f32 to i32
    %mask = arith.constant -65536 : i32
    %bits = arith.bitcast %v : f32 to i32
    %high = arith.andi %bits, %mask : i32
    %y = arith.bitcast %high : i32 to f32
    mx.yield %y : f32
  }
}
