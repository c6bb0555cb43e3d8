// One scale for several blocks: the maximum is of more lanes than a scale is, and what lies outside the matrix is 0.
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a --canonicalize --cse %s | FileCheck %s

// CHECK: \22block\22:\221x128\22,\22block_to\22:\221x32\22,\22format\22:\22mxfp8_e4m3

// CHECK-LABEL: llvm.func @rows
// CHECK: mx.block_amax {{.*}} lanes = 16
// CHECK: %[[S:.*]], %{{.*}} = mx.encode_scale
// CHECK: arith.select %{{.*}}, %[[S]], %{{.*}} : i32
// CHECK: mx.gather_scales {{.*}} lanes = 4
!tiles = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
mx.kernel @rows(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: !tiles) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, !tiles) block = 1x128 to 1x32 tiles = [#mx.quantize_tile<>]
}

// Along columns four warps agree, and each keeps the scale of its own 32 rows.
// CHECK-LABEL: llvm.func @column
// CHECK: mx.column_amax
// CHECK: nvvm.barrier
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
// CHECK-COUNT-2: mx.encode_scale
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<3>
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<1>
mx.kernel @column(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: !tiles) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, !tiles) axis = column block = 1x128 to 1x32 tiles = [#mx.column_tile<>]
}
