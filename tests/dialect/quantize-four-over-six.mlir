// RUN: mxc-opt %s | mxc-opt | FileCheck %s
// RUN: mxc-opt --mlir-print-op-generic %s | mxc-opt | FileCheck %s

// CHECK-LABEL: mx.kernel @nvfp4
mx.kernel @nvfp4(%x: memref<?x?xbf16>, %t: memref<1xf32>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E4M3FN>) {
  // CHECK: mx.quantize {{.*}} hadamard = 16 four_over_six = mse{{$}}
  mx.quantize ins(%x : memref<?x?xbf16>) tensor_scale(%t : memref<1xf32>) outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN>)
      four_over_six = mse hadamard = 16
}

// CHECK-LABEL: llvm.func @error(
llvm.func @error(%x: vector<8xbf16>, %c: vector<1xi32>, %a: i32, %t: f32, %v: i1) {
  // CHECK: %[[CODE:.*]], %{{.*}} = mx.encode_scale %{{.*}} in %{{.*}} to_four element = f4E2M1FN scale = f8E4M3FN rounding = ceil special = propagate tiny = exact
  %code, %multiplier = mx.encode_scale %a in %t to_four element = f4E2M1FN scale = f8E4M3FN rounding = ceil special = propagate tiny = exact
  // CHECK: mx.block_error %{{.*}} as %{{.*}} by %[[CODE]] in %{{.*}} valid %{{.*}} lanes = 2 element = f4E2M1FN scale = f8E4M3FN : vector<8xbf16>, vector<1xi32>
  %e = mx.block_error %x as %c by %code in %t valid %v lanes = 2 element = f4E2M1FN scale = f8E4M3FN : vector<8xbf16>, vector<1xi32>
  llvm.return
}
