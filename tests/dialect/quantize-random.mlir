// RUN: mxc-opt %s | mxc-opt | FileCheck %s
// RUN: mxc-opt --mlir-print-op-generic %s | mxc-opt | FileCheck %s

// CHECK-LABEL: mx.kernel @nvfp4
mx.kernel @nvfp4(%x: memref<?x?xbf16>, %r: memref<2xi64>, %t: memref<1xf32>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E4M3FN>) {
  // CHECK: mx.quantize ins(%x : memref<?x?xbf16>) tensor_scale(%t : memref<1xf32>) random(%r : memref<2xi64>) outs(
  mx.quantize ins(%x : memref<?x?xbf16>) random(%r : memref<2xi64>) tensor_scale(%t : memref<1xf32>)
      outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN>)
}

// CHECK-LABEL: llvm.func @words(
// CHECK-SAME: %[[SEED:.*]]: i64, %[[OFFSET:.*]]: i64, %[[COLUMN:.*]]: i32, %[[ROW:.*]]: i32, %[[X:.*]]: vector<8xbf16>, %[[M:.*]]: f32)
llvm.func @words(%seed: i64, %offset: i64, %run: i32, %row: i32, %x: vector<8xbf16>, %m: f32) -> vector<1xi32> {
  // CHECK: %[[A:.*]], %[[B:.*]], %{{.*}}, %{{.*}} = mx.random_words[%[[ROW]], %[[COLUMN]]] seed %[[SEED]] offset %[[OFFSET]]
  %a, %b, %c, %d = mx.random_words[%row, %run] seed %seed offset %offset
  // CHECK: mx.convert_pack %[[X]] by %[[M]] random %[[A]], %[[B]] element = f4E2M1FN scale = f8E8M0FNU rounding = stochastic : vector<8xbf16> -> vector<1xi32>
  %codes = mx.convert_pack %x by %m random %a, %b element = f4E2M1FN scale = f8E8M0FNU rounding = stochastic : vector<8xbf16> -> vector<1xi32>
  llvm.return %codes : vector<1xi32>
}
