// RUN: mxc-opt %s | mxc-opt | FileCheck %s
// RUN: mxc-opt --mlir-print-op-generic %s | mxc-opt | FileCheck %s

// CHECK-LABEL: mx.kernel @mxfp4
mx.kernel @mxfp4(%x: memref<?x?xbf16>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK: mx.quantize {{.*}} rounding = even hadamard = 16{{$}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU>) hadamard = 16 rounding = even
}

// CHECK-LABEL: mx.kernel @copies
mx.kernel @copies(%x: memref<?x?xbf16>, %t: memref<2xf32>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E4M3FN>,
                  %qt: memref<?x?xf4E2M1FN>, %st: memref<?x?xf8E4M3FN>, %a: memref<2xf32>) {
  // CHECK: mx.quantize {{.*}} tensor_amax(%{{.*}} : memref<2xf32>) {{.*}} amax(%{{.*}} : memref<2xf32>) axis = both rounding = reciprocal hadamard = 16 along column{{$}}
  mx.quantize ins(%x : memref<?x?xbf16>) tensor_amax(%t : memref<2xf32>)
      outs(%q, %s, %qt, %st : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN>, memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN>)
      amax(%a : memref<2xf32>) axis = both hadamard = 16 along column rounding = reciprocal
}

// CHECK-LABEL: llvm.func @columns(
llvm.func @columns(%r: vector<2xf32>) {
  // CHECK: mx.hadamard_columns %{{.*}} : vector<2xf32>, {{.*}} -> vector<2xbf16>, {{.*}}
  %y:16 = mx.hadamard_columns %r, %r, %r, %r, %r, %r, %r, %r, %r, %r, %r, %r, %r, %r, %r, %r
    : vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>,
      vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>
    -> vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>,
      vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>
  llvm.return
}

// CHECK-LABEL: llvm.func @lanes(
// CHECK-SAME: %[[X:.*]]: vector<4xf32>, %[[LANE:.*]]: i32)
llvm.func @lanes(%x: vector<4xf32>, %lane: i32) {
  // CHECK: mx.hadamard %[[X]] lane %[[LANE]] lanes = 4 : vector<4xf32> -> vector<4xbf16>
  %y = mx.hadamard %x lane %lane lanes = 4 : vector<4xf32> -> vector<4xbf16>
  llvm.return
}
