// Two inputs with a prologue: every load first, then the region once an element, in f32.
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a --canonicalize --cse %s | FileCheck %s

// CHECK: \22prologue\22:true
// CHECK-LABEL: llvm.func @vector(
// CHECK-SAME: %[[G:.*]]: !llvm.ptr<1>, %[[U:.*]]: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>,
mx.kernel @vector(%gate: memref<?x?xbf16>, %up: memref<?x?xf32>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK: llvm.getelementptr %[[G]]
  // CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
  // CHECK: llvm.getelementptr %[[U]]
  // CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
  // CHECK: %[[A:.*]] = arith.extf %{{.*}} : bf16 to f32
  // CHECK: %[[E:.*]] = math.exp %[[A]] fastmath<afn> : f32
  // CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[E]], %{{.*}} : f32
  // CHECK-COUNT-3: math.exp
  // CHECK-NOT: math.exp
  // CHECK: mx.block_amax %{{.*}} lanes = 8 special = propagate : vector<4xf32> -> i32
  // CHECK: mx.convert_pack %{{.*}} : vector<4xf32> -> vector<1xi32>
  mx.quantize ins(%gate, %up : memref<?x?xbf16>, memref<?x?xf32>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      tiles = [#mx.quantize_tile<rows_per_warp = 1, lane_elements = 4>] {
  ^bb0(%g: f32, %u: f32):
    %e = math.exp %g fastmath<afn> : f32
    %y = arith.mulf %e, %u : f32
    mx.yield %y : f32
  }
}

// Padding is +0, not f(+0).
// CHECK-LABEL: llvm.func @element(
mx.kernel @element(%x: memref<?x?xf32>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
  // CHECK: arith.select %[[VALID:.*]], %{{.*}}, %[[ZERO]] : f32
  // CHECK: %[[Y:.*]] = math.exp
  // CHECK-NEXT: arith.select %[[VALID]], %[[Y]], %[[ZERO]] : f32
  mx.quantize ins(%x : memref<?x?xf32>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      tiles = [#mx.quantize_tile<rows_per_warp = 1, lane_elements = 4, access = element>] {
  ^bb0(%v: f32):
    %y = math.exp %v : f32
    mx.yield %y : f32
  }
}
