// Column tiles in clusters: the grid holds whole ones; CTAs beyond the matrix, also beside it, leave; the others meet before they store.
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a --canonicalize --cse %s | FileCheck %s

// CHECK: \22cluster\22:[2,4,1],{{.*}}\22grid\22:[\22ceildiv(ceildiv(K, 128), 2) * 2\22,\22min(ceildiv(ceildiv(M, 128), 4) * 4, 65532)\22,\22ceildiv(ceildiv(M, 128), 65532)\22]
// CHECK: \22cluster\22:[3,1,1],{{.*}}\22grid\22:[\22ceildiv((ceildiv(M, 128) + G - 1) * min(min(G, M), 1), 3) * 3\22,\22min(ceildiv(K, 128), 65535)\22

// CHECK-LABEL: llvm.func @both(
mx.kernel @both(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %qt: memref<?x?xf8E4M3FN>,
                %st: memref<?x?xf8E8M0FNU>) {
  // CHECK: %[[BELOW:.*]] = arith.cmpi ult
  // CHECK: %[[BESIDE:.*]] = arith.cmpi ult
  // CHECK: %[[WORK:.*]] = arith.andi
  // CHECK-DAG: scf.if %[[WORK]]
  // CHECK: nvvm.cluster.arrive.relaxed {aligned}
  // CHECK-NEXT: nvvm.barrier
  // CHECK-NEXT: nvvm.cluster.wait {aligned}
  mx.quantize ins(%x : memref<?x?xbf16>)
      outs(%q, %s, %qt, %st : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      axis = both tiles = [#mx.column_tile<order = columns, cluster_rows = 4, cluster_columns = 2>]
}

// CHECK-LABEL: llvm.func @groups(
mx.kernel @groups(%x: memref<?x?xbf16>, %ends: memref<?xi32>, %qt: memref<?x?xf8E4M3FN>, %st: memref<?x?xf8E8M0FNU>) {
  // CHECK: nvvm.cluster.arrive.relaxed
  mx.quantize ins(%x : memref<?x?xbf16>) groups(%ends : memref<?xi32>)
      outs(%qt, %st : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      axis = column align = 1 tiles = [#mx.column_tile<cluster_rows = 3>]
}

// Alone a CTA meets its own threads.
// CHECK-LABEL: llvm.func @alone(
// CHECK-NOT: nvvm.cluster
mx.kernel @alone(%x: memref<?x?xbf16>, %qt: memref<?x?xf8E4M3FN>, %st: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%qt, %st : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      axis = column tiles = [#mx.column_tile<>]
}
