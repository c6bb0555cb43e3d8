// a in flight of 4 bits on sm_90a: slabs of 64 bytes a row, which maps of bytes bring, and of NVFP4 two tiles of scales.
// The stage is given back by the end of its use, after the products: an arrival may overtake loads whose values nothing has needed yet.
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a %s | FileCheck %s --implicit-check-not=mx.release

#scales = #mx.scale_layout<tcgen05>

// CHECK-LABEL: llvm.func @mxfp4(
// CHECK: mx.ring "codes" stages = 2 parts = [8192, 512]
// CHECK: mx.load_fragments {{.*}} half = 0 {{.*}} f4E2M1FN : vector<16xi32>
// CHECK: mx.load_fragments {{.*}} half = 1 {{.*}} f4E2M1FN : vector<16xi32>
// CHECK: mx.copy_box {{.*}} part = 0 bytes = 8192
// CHECK: mx.copy_box {{.*}} part = 1 bytes = 512
mx.kernel @mxfp4(%a: memref<?x?xf4E2M1FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>, %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?xbf16>) tiles = [#mx.matmul_tile<stages = 4, a = in_flight>]
}

// CHECK-LABEL: llvm.func @nvfp4(
// CHECK: mx.ring "codes" stages = 2 parts = [8192, 1024]
// CHECK: mx.load_fragments {{.*}} f4E2M1FN scale = f8E4M3FN : vector<16xi32>
// CHECK: mx.copy_box {{.*}} part = 1 bytes = 1024
mx.kernel @nvfp4(%a: memref<?x?xf4E2M1FN>, %sa: memref<?x?xf8E4M3FN, #scales>, %b: memref<?x?xf4E2M1FN>, %sb: memref<?x?xf8E4M3FN, #scales>, %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN, #scales>, memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN, #scales>) outs(%c : memref<?x?xbf16>) tiles = [#mx.matmul_tile<stages = 4, a = in_flight>]
}
