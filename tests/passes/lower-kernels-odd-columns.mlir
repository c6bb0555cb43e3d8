// 65 columns are no multiple of any vector: element access alone is left.
// RUN: mxc-opt --pass-pipeline='builtin.module(mx-kernel-stage{target=sm_90a},mx-tile-stage{target=sm_90a})' %s | FileCheck %s

// CHECK: \22layout\22:\22scale_dense\22,{{.*}}\22shape\22:[\22M\22,\223\22]
// CHECK-SAME: \22dimensions\22:[\22M\22]
// CHECK-SAME: \22variants\22:[{\22alignments\22:[],
// CHECK-SAME: \22entry\22:\22quantize\22,\22grid\22:[\22ceildiv(65, 256)\22,
// CHECK-SAME: access = element
// CHECK-SAME: \22when\22:\22\22}]
// CHECK: llvm.func @quantize(%{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: i64) attributes
// CHECK-NOT: llvm.func
// CHECK: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> bf16
// CHECK-NOT: llvm.func
mx.kernel @quantize(%x: memref<?x65xbf16>, %q: memref<?x65xf8E4M3FN>, %s: memref<?x3xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x65xbf16>) outs(%q, %s : memref<?x65xf8E4M3FN>, memref<?x3xf8E8M0FNU>)
}
