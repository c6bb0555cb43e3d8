// Bulk tiles: a tensor map instead of a pointer, boxes of [warps, columns] in shared memory.
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a --canonicalize --cse %s | FileCheck %s

// CHECK: module attributes {mx.abi = "
// CHECK-SAME: \22tensor_map\22:{\22argument\22:\22x\22,\22box\22:[256,8],\22element_strides\22:[1,1],\22fill\22:\22zeros\22,\22offset\22:\22\22,\22promotion\22:\22256b\22,\22sizes\22:[\22K\22,\22M\22],\22strides\22:[\22ceildiv(stride0 * 2, 16) * 16\22],\22swizzle\22:\22none\22,\22type\22:\22bf16\22}
// CHECK-SAME: \22shared_bytes\22:16400
// CHECK-LABEL: llvm.func @quantize(
// CHECK-SAME: %[[MAP:.*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: i64, %{{.*}}: i64)
mx.kernel @quantize(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK: nvvm.griddepcontrol wait
  // CHECK: %[[SHARED:.*]] = mx.shared_memory bytes = 16400 alignment = 128
  // CHECK: mx.pipeline within %[[SHARED]] warps = 8 : !llvm.ptr<3>
  // CHECK-NEXT: %[[RING:.*]] = mx.ring "inputs" stages = 1 once parts = [16384] alignment = 128
  // CHECK-NEXT: mx.fill %[[RING]] {
  // CHECK: mx.copy_box %[[MAP]][%[[COLUMN:.*]], %[[ROW:.*]]] to %[[RING]][%{{.*}}] part = 0 bytes = 4096
  // CHECK: %[[LATER:.*]] = arith.addi %[[ROW]], %c32_i32
  // CHECK: mx.copy_box %[[MAP]][%[[COLUMN]], %[[LATER]]] to %[[RING]][%{{.*}}] part = 0 offset %c4096_i32 bytes = 4096
  // CHECK-COUNT-2: mx.copy_box
  // CHECK-NOT: mx.copy_box
  // CHECK: nvvm.griddepcontrol launch_dependents
  // CHECK-NEXT: mx.use %[[RING]] {
  // CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
  // CHECK-NOT: llvm.load
  // CHECK: mx.block_amax
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      tiles = [#mx.quantize_tile<variant = bulk>]
}

// Two inputs: a part each, the first of 4 * 4 * 128 * 2 bytes.
// CHECK-LABEL: llvm.func @two(
// CHECK-SAME: %[[MAPX:.*]]: !llvm.ptr {{{.*}}}, %[[MAPY:.*]]: !llvm.ptr {{{.*}}},
mx.kernel @two(%x: memref<?x?xbf16>, %y: memref<?x?xf32>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK: mx.ring "inputs" stages = 1 once parts = [4096, 8192] alignment = 128
  // CHECK-COUNT-4: mx.copy_box %[[MAPX]][{{.*}} part = 0
  // CHECK-COUNT-4: mx.copy_box %[[MAPY]][{{.*}} part = 1
  // CHECK: mx.stage_address %{{.*}}[%{{.*}}] part = 0
  // CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
  // CHECK: mx.stage_address %{{.*}}[%{{.*}}] part = 1
  // CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
  mx.quantize ins(%x, %y : memref<?x?xbf16>, memref<?x?xf32>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      tiles = [#mx.quantize_tile<variant = bulk, warps = 4, lane_elements = 4>] {
  ^bb0(%a: f32, %b: f32):
    %z = arith.mulf %a, %b : f32
    mx.yield %z : f32
  }
}
