// Blocks of 128 rows of a column: four warps agree on their maxima through shared memory, after one barrier; the lanes of the first rows
// store the scales, side by side.
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a --canonicalize --cse %s | FileCheck %s

// CHECK-LABEL: llvm.func @column
// CHECK: mx.column_amax
// CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<3>
// CHECK: nvvm.barrier
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
// CHECK-COUNT-2: mx.encode_scale {{.*}} scale = f32 rounding = nearest
// CHECK: mx.convert_columns
// CHECK: mx.scale_offset{{.*}} layout = <mn_major>
// CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
mx.kernel @column(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf32, #mx.scale_layout<mn_major>>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf32, #mx.scale_layout<mn_major>>) axis = column
      tiles = [#mx.column_tile<>]
}

// A block of 128x128 has one maximum, which eight warps give; the copy along rows has it, too.
// CHECK-LABEL: llvm.func @square
// CHECK: nvvm.barrier
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK: mx.convert_columns
// CHECK-NOT: mx.block_amax
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK: mx.convert_pack
mx.kernel @square(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf32>, %qt: memref<?x?xf8E4M3FN>, %st: memref<?x?xf32>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s, %qt, %st : memref<?x?xf8E4M3FN>, memref<?x?xf32>, memref<?x?xf8E4M3FN>, memref<?x?xf32>)
      axis = both block = 128x128 tiles = [#mx.column_tile<load = direct>]
}
