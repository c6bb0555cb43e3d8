// A lane takes four blocks of one row: one load where the source has one scale for them, one store where they are a word.
// RUN: mxc-opt --mx-lower-kernels=target=sm_100a --canonicalize --cse %s | FileCheck %s

#lines = #mx.scale_layout<mn_major>
#tiles = #mx.scale_layout<tcgen05>

// The source has a quarter of the blocks, and every 128th row.
// CHECK: \22name\22:\22weights\22
// CHECK-SAME: \22attributes\22:{\22block\22:\22128x128\22,\22block_to\22:\221x32\22}
// CHECK-LABEL: llvm.func @weights(
// CHECK-SAME: %[[S:.*]]: !llvm.ptr<1>, %[[T:.*]]: !llvm.ptr<1>, %[[N:.*]]: !llvm.ptr<1>, %[[M:.*]]: i64, %[[KB:.*]]: i64)
mx.kernel @weights(%s: memref<?x?xf32>, %t: memref<?x?xf8E8M0FNU, #tiles>, %n: memref<1xi64>) {
  // CHECK: mx.scale_offset[%{{.*}}, %{{.*}}] of %{{.*}} layout = <dense>
  // CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> i32
  // CHECK-NOT: llvm.load
  // One scale of the source is counted once.
  // CHECK: nvvm.redux.sync
  // CHECK: scf.if
  // CHECK: red.relaxed.gpu.global.add.u64
  // CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<1>
  // CHECK-NOT: llvm.store
  mx.convert_scales ins(%s : memref<?x?xf32>) outs(%t : memref<?x?xf8E8M0FNU, #tiles>) inexact(%n : memref<1xi64>) block = 128x128 to 1x32
}

// CHECK-LABEL: llvm.func @numbers(
mx.kernel @numbers(%s: memref<?x?xf8E8M0FNU, #mx.scale_layout<mn_packed>>, %t: memref<?x?xf32, #lines>) {
  // CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> i32
  // CHECK-NOT: llvm.load
  // CHECK: mx.decode_scale %{{.*}} scale = f8E8M0FNU
  // CHECK-COUNT-4: llvm.store %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<1>
  // CHECK-NOT: llvm.store
  mx.convert_scales ins(%s : memref<?x?xf8E8M0FNU, #mx.scale_layout<mn_packed>>) outs(%t : memref<?x?xf32, #lines>)
}
