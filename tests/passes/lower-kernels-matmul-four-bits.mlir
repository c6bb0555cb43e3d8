// A step of a product of 4-bit elements is 128 bytes of a row, 256 elements: two tiles of scales along K in MXFP4, four in NVFP4.
// RUN: mxc-opt --mx-lower-kernels=target=sm_100a %s | FileCheck %s

#scales = #mx.scale_layout<tcgen05>

// CHECK: 16u4_align8b
// CHECK-LABEL: llvm.func @mxfp4(
// CHECK: mx.ring "operands" stages = 4 parts = [16384, 16384, 1024, 1024] columns = 16
// Both tiles along K in one copy.
// CHECK: mx.copy_box {{.*}} part = 2 {{.*}}bytes = 1024
// CHECK-NEXT: mx.copy_box {{.*}} part = 3 {{.*}}bytes = 1024
// CHECK: kind = mxf4 m = 128 n = 128 k = 256 a = f4E2M1FN b = f4E2M1FN scale = f8E8M0FNU scale_a = 0 scale_b = 8 selectors = [0, 2, 0, 2] scale_tiles = 2
mx.kernel @mxfp4(%a: memref<?x?xf4E2M1FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf4E2M1FN>, %sb: memref<?x?xf8E8M0FNU, #scales>, %alpha: memref<1xf32>, %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU, #scales>) alpha(%alpha : memref<1xf32>) outs(%c : memref<?x?xbf16>) tiles = [#mx.matmul_tile<n = 128>]
}

// CHECK-LABEL: llvm.func @nvfp4(
// CHECK: kind = mxf4nvf4 m = 128 n = 128 k = 256 a = f4E2M1FN b = f4E2M1FN scale = f8E4M3FN scale_a = 0 scale_b = 16 selectors = [0, 0, 0, 0] scale_tiles = 4
mx.kernel @nvfp4(%a: memref<?x?xf4E2M1FN>, %sa: memref<?x?xf8E4M3FN, #scales>, %b: memref<?x?xf4E2M1FN>, %sb: memref<?x?xf8E4M3FN, #scales>, %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN, #scales>, memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN, #scales>) outs(%c : memref<?x?xbf16>) tiles = [#mx.matmul_tile<n = 128>]
}
