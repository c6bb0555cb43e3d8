// Gathered rows of a bulk column tile: 128 threads copy a row each, as many bytes as there are.
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a --canonicalize --cse %s | FileCheck %s

// CHECK: module attributes {mx.abi = "{{.*}}K % 8 == 0
// CHECK-LABEL: llvm.func @gathered(
// CHECK-SAME: %[[X:.*]]: !llvm.ptr<1>, %[[INDEX:.*]]: !llvm.ptr<1>, %[[Q:.*]]: !llvm.ptr<1>, %[[S:.*]]: !llvm.ptr<1>, %arg4
mx.kernel @gathered(%x: memref<?x?xbf16>, %index: memref<?xi32>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK: llvm.load {{.*}} -> i32
  // CHECK: mx.pipeline within %{{.*}} warps = 8
  // CHECK: %[[RING:.*]] = mx.ring "inputs" stages = 1 once parts = [32768]
  // CHECK: mx.role "rows" first = 0 warps = 4 {
  // CHECK: mx.fill %[[RING]] {
  // CHECK: %[[FROM:.*]] = llvm.getelementptr %[[X]][
  // CHECK: mx.copy_row %[[FROM]] bytes %{{.*}} where %{{.*}} to %[[RING]][%{{.*}}] part = 0 row_bytes = 256 : <1>
  // CHECK: nvvm.griddepcontrol launch_dependents
  // CHECK-NEXT: mx.use %[[RING]] {
  // CHECK: mx.column_amax
  mx.quantize ins(%x : memref<?x?xbf16>) gather(%index : memref<?xi32>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      axis = column tiles = [#mx.column_tile<>]
}
