// A lane moves the four blocks of a row that are a word of a tile.
// RUN: mxc-opt --mx-lower-kernels=target=sm_100a --canonicalize --cse %s | FileCheck %s

#tiles = #mx.scale_layout<tcgen05>

// CHECK: \22dimensions\22:[\22M\22,\22KB\22],\22name\22:\22pack\22
// CHECK-SAME: \22block\22:[128,1,1],{{.*}}\22grid\22:[\22ceildiv(KB, 4)\22,\22min(ceildiv(M, 128), 65535)\22,\22ceildiv(ceildiv(M, 128), 65535)\22]
// CHECK-LABEL: llvm.func @pack(
// CHECK-SAME: %[[D:.*]]: !llvm.ptr<1>, %[[T:.*]]: !llvm.ptr<1>, %[[M:.*]]: i64, %[[KB:.*]]: i64) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>}
mx.kernel @pack(%dense: memref<?x?xf8E8M0FNU>, %tiled: memref<?x?xf8E8M0FNU, #tiles>) {
  // CHECK: %[[VALID:.*]] = arith.andi %{{.*}} : i1
  // CHECK: mx.scale_offset[%{{.*}}, %{{.*}}] of %[[KB]] layout = <dense>
  // CHECK: %[[LOADED:.*]] = llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr<1> -> i8
  // CHECK-NEXT: %[[WIDE:.*]] = arith.extui %[[LOADED]] : i8 to i32
  // Padding is 0x00.
  // CHECK-NEXT: arith.select %[[VALID]], %[[WIDE]], %c0_i32 : i32
  // CHECK-COUNT-3: llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr<1> -> i8
  // CHECK-NOT: llvm.load
  // CHECK: %[[TO:.*]] = mx.scale_offset[%{{.*}}, %{{.*}}] of %[[KB]] layout = <tcgen05>
  // CHECK-NEXT: %[[PLACE:.*]] = llvm.getelementptr %[[T]][%[[TO]]]
  // CHECK-NEXT: llvm.store %{{.*}}, %[[PLACE]] {alignment = 4 : i64} : i32, !llvm.ptr<1>
  mx.pack_scales ins(%dense : memref<?x?xf8E8M0FNU>) outs(%tiled : memref<?x?xf8E8M0FNU, #tiles>)
}

// CHECK-LABEL: llvm.func @unpack(
// CHECK-SAME: %[[T:.*]]: !llvm.ptr<1>, %[[D:.*]]: !llvm.ptr<1>, %{{.*}}: i64, %{{.*}}: i64)
mx.kernel @unpack(%tiled: memref<?x?xf8E8M0FNU, #tiles>, %dense: memref<?x?xf8E8M0FNU>) {
  // CHECK: %[[WORD:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> i32
  // CHECK-NOT: llvm.load
  // CHECK-COUNT-4: llvm.store %{{.*}} {alignment = 1 : i64} : i8, !llvm.ptr<1>
  // CHECK-NOT: llvm.store
  mx.unpack_scales ins(%tiled : memref<?x?xf8E8M0FNU, #tiles>) outs(%dense : memref<?x?xf8E8M0FNU>)
}
