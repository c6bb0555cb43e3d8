// Products of elements of 8 and of 4 bits: kind mxf8f6f4, whose stages have a byte for every element; copies announce what they
// read of global memory.
// RUN: mxc-opt --mx-lower-kernels=target=sm_100a %s | FileCheck %s --check-prefixes=ALL,TENSOR
// RUN: mxc-opt --mx-lower-kernels=target=sm_120a %s | FileCheck %s --check-prefixes=ALL,WARPS

#scales = #mx.scale_layout<tcgen05>

// Rows of b, and their address, at multiples of 32 bytes; K in whole boxes.
// ALL: K % 128 == 0
// ALL: 16u4_align16b
// ALL-LABEL: llvm.func @narrow_b(
// ALL: mx.ring "operands" stages = 2 parts = [16384, 16384, 512, 512]
// TENSOR: mx.copy_box {{.*}} part = 0 bytes = 16384
// TENSOR: mx.copy_box {{.*}} part = 1 bytes = 8192
// TENSOR: mx.block_mma {{.*}} kind = mxf8f6f4 m = 128 n = 128 k = 128 a = f8E4M3FN b = f4E2M1FN scale = f8E8M0FNU scale_a = 0 scale_b = 4 selectors = [0, 1, 2, 3]
// WARPS: mx.warp_mma {{.*}} kind = mxf8f6f4 a = f8E4M3FN b = f4E2M1FN scale = f8E8M0FNU selectors = [0, 1, 2, 3] : !mx.accumulator<64>, !mx.accumulator<64>, !mx.accumulator<64>, !mx.accumulator<64>
// WARPS: mx.copy_box {{.*}} part = 0 bytes = 16384
// WARPS: mx.copy_box {{.*}} part = 1 bytes = 8192
mx.kernel @narrow_b(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf4E2M1FN>, %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?xbf16>) tiles = [#mx.matmul_tile<stages = 2, buffers = 1>]
}

// ALL-LABEL: llvm.func @narrow_a(
// TENSOR: mx.copy_box {{.*}} part = 0 bytes = 8192
// TENSOR: mx.copy_box {{.*}} part = 1 bytes = 16384
// ALL: a = f4E2M1FN b = f8E5M2
mx.kernel @narrow_a(%a: memref<?x?xf4E2M1FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E5M2>, %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E5M2>, memref<?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?xbf16>) tiles = [#mx.matmul_tile<stages = 2, buffers = 1>]
}
