// Supergroups: the grid's x is a row of tiles in one, y their columns, z the supergroup; rows of tiles that the last one has too many do nothing.
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a --canonicalize --cse %s | FileCheck %s

// CHECK: \22grid\22:[\22min(ceildiv(M, 128), 16)\22,\22ceildiv(K, 128)\22,\22ceildiv(ceildiv(M, 128), 16)\22]
// CHECK-SAME: \22when\22:\22{{.*}}K <= 8388480 && ceildiv(M, 128) <= 1048560 &&
// CHECK: \22grid\22:[\22min((ceildiv(M, 128) + G - 1) * min(min(G, M), 1), 3)\22
// CHECK-SAME: \22when\22:\22{{.*}}(ceildiv(M, 128) + G - 1) * min(min(G, M), 1) <= 196605

// CHECK-LABEL: llvm.func @both(
mx.kernel @both(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %qt: memref<?x?xf8E4M3FN>,
                %st: memref<?x?xf8E8M0FNU>) {
  // CHECK: %[[X:.*]] = nvvm.read.ptx.sreg.ctaid.x
  // CHECK: %[[Y:.*]] = nvvm.read.ptx.sreg.ctaid.y
  // CHECK: %[[Z:.*]] = nvvm.read.ptx.sreg.ctaid.z
  // CHECK: %[[FIRST:.*]] = arith.muli %[[Z]], %c16
  // CHECK: arith.addi %[[FIRST]], %[[X]]
  // CHECK: arith.muli %[[Y]], %c128
  mx.quantize ins(%x : memref<?x?xbf16>)
      outs(%q, %s, %qt, %st : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      axis = both tiles = [#mx.column_tile<order = columns, supergroup = 16>]
}

mx.kernel @groups(%x: memref<?x?xbf16>, %ends: memref<?xi32>, %qt: memref<?x?xf8E4M3FN>, %st: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) groups(%ends : memref<?xi32>)
      outs(%qt, %st : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      axis = column align = 1 tiles = [#mx.column_tile<order = columns, supergroup = 3>]
}
