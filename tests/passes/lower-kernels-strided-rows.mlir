// Row strides: given at launch they are parameters after their pointer, written in the type they are constants.
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a --canonicalize --cse %s | FileCheck %s

// CHECK: \22name\22:\22x\22,{{.*}}\22strides\22:[\22?\22,null]
// CHECK-SAME: \22name\22:\22q\22,{{.*}}\22strides\22:[\224096\22,null]
// CHECK-SAME: \22parameters\22:[{\22kind\22:\22pointer\22,\22name\22:\22x\22},{\22dimension\22:0,\22kind\22:\22stride\22,\22name\22:\22x\22},{\22kind\22:\22pointer\22,\22name\22:\22q\22},{\22kind\22:\22pointer\22,\22name\22:\22s\22},{\22kind\22:\22dimension\22
// CHECK-LABEL: llvm.func @quantize(
// CHECK-SAME: %[[X:.*]]: !llvm.ptr<1>, %[[STRIDE:.*]]: i64, %[[Q:.*]]: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %[[M:.*]]: i64, %[[K:.*]]: i64)
mx.kernel @quantize(%x: memref<?x?xbf16, strided<[?, 1]>>, %q: memref<?x?xf8E4M3FN, strided<[4096, 1]>>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK: %[[BYTES:.*]] = arith.muli %[[STRIDE]], %c2_i64 : i64
  // CHECK: arith.muli %{{.*}}, %[[BYTES]] : i64
  // CHECK: mx.convert_pack
  // CHECK: arith.muli %{{.*}}, %c4096_i64 : i64
  mx.quantize ins(%x : memref<?x?xbf16, strided<[?, 1]>>) outs(%q, %s : memref<?x?xf8E4M3FN, strided<[4096, 1]>>, memref<?x?xf8E8M0FNU>)
      tiles = [#mx.quantize_tile<rows_per_warp = 1>]
}
