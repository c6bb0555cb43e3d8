// A lane has 16 bytes of a row: those of every named row are loaded before the first is added.
// RUN: mxc-opt --mx-lower-kernels=target=sm_100a --canonicalize --cse %s | FileCheck %s

// CHECK: module attributes {mx.abi = "{{.*}}\22alignments\22:[{\22argument\22:\22h\22,\22bytes\22:16},{\22argument\22:\22y\22,\22bytes\22:16}]
// CHECK-SAME: \22grid\22:[\22ceildiv(K, 1024)\22,\22min(M, 65535)\22,\22ceildiv(M, 65535)\22]
// CHECK-SAME: \22when\22:\22K % 8 == 0 && N > 0\22
// CHECK-LABEL: llvm.func @combine(
// CHECK-SAME: nvvm.reqntid = array<i32: 128, 1, 1>
mx.kernel @combine(%h: memref<?x?xbf16>, %rows: memref<?x2xi32>, %w: memref<?x2xf32>, %y: memref<?x?xbf16>) {
  // CHECK: nvvm.griddepcontrol wait
  // CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> i32
  // CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
  // CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
  // What is no row is -0, which leaves every sum as it is.
  // CHECK: arith.select %{{.*}}, %{{.*}}, %cst{{.*}} : vector<4xi32>
  // CHECK-COUNT-16: llvm.intr.fma
  // CHECK-NOT: llvm.intr.fma
  // CHECK: arith.truncf %{{.*}} : vector<8xf32> to vector<8xbf16>
  // CHECK: st.global.v4.b32
  // CHECK-LABEL: llvm.func @combine$1(
  // CHECK-COUNT-2: scf.if {{.*}} -> (bf16)
  mx.combine ins(%h : memref<?x?xbf16>) gather(%rows : memref<?x2xi32>) weights(%w : memref<?x2xf32>) outs(%y : memref<?x?xbf16>)
}

// A warp has a row; where the types say the columns, one access takes all.
// CHECK-LABEL: llvm.func @dots(
mx.kernel @dots(%dy: memref<?x300xbf16>, %h: memref<?x300xbf16>, %rows: memref<?x1xi32>, %dw: memref<?x1xf32>) {
  // CHECK: scf.for
  // CHECK: llvm.intr.fma
  // CHECK-COUNT-5: nvvm.shfl.sync bfly
  // CHECK-NOT: llvm.func
  mx.gather_dot ins(%dy, %h : memref<?x300xbf16>, memref<?x300xbf16>) gather(%rows : memref<?x1xi32>) outs(%dw : memref<?x1xf32>)
}
