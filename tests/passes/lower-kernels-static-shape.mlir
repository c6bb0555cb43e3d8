// Static dimensions are constants, not parameters; conditions are settled by them.
// RUN: mxc-opt --pass-pipeline='builtin.module(mx-kernel-stage{target=sm_90a},mx-tile-stage{target=sm_90a})' %s | FileCheck %s

// CHECK: \22layout\22:\22row_major\22,\22name\22:\22x\22,\22role\22:\22data\22,\22shape\22:[\2264\22,\22512\22]
// CHECK-SAME: \22layout\22:\22scale_dense\22,\22name\22:\22s\22,\22of\22:\22q\22,\22role\22:\22scales\22,\22shape\22:[\2264\22,\2216\22]
// CHECK-SAME: \22dimensions\22:[]
// CHECK-SAME: \22entry\22:\22aligned\22,\22grid\22:[\22ceildiv(512, 256)\22,\22min(ceildiv(64, 128) * 32, 65535)\22
// CHECK-SAME: \22when\22:\22\22
// What is left is for unaligned buffers.
// CHECK-SAME: \22alignments\22:[],{{.*}}\22entry\22:\22aligned$1\22{{.*}}access = element
// CHECK-LABEL: llvm.func @aligned(%{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>) attributes
// CHECK-LABEL: llvm.func @aligned$1(
// CHECK-NOT: llvm.func @aligned$2
mx.kernel @aligned(%x: memref<64x512xbf16>, %q: memref<64x512xf8E4M3FN>, %s: memref<64x16xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<64x512xbf16>) outs(%q, %s : memref<64x512xf8E4M3FN>, memref<64x16xf8E8M0FNU>)
}

// A static size of any of the matrices is that of all.
// CHECK-LABEL: llvm.func @from_data(%{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: i64) attributes
mx.kernel @from_data(%x: memref<?x?xbf16>, %q: memref<32x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<32x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}
