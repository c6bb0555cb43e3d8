// Instructions of 96 elements along K are sm_103a's alone.
// RUN: not mxc-opt --mx-lower-kernels=target=sm_100a %s 2>&1 | FileCheck %s -DCHIP=sm_100a
// RUN: not mxc-opt --mx-lower-kernels=target=sm_100f %s 2>&1 | FileCheck %s -DCHIP=sm_100f
// RUN: not mxc-opt --mx-lower-kernels=target=sm_120a %s 2>&1 | FileCheck %s -DCHIP=sm_120a
// RUN: not mxc-opt --mx-lower-kernels=target=sm_90a %s 2>&1 | FileCheck %s -DCHIP=sm_90a
// CHECK: has mma_k = 96, which [[CHIP]] has no instructions for

#scales = #mx.scale_layout<tcgen05>

mx.kernel @k(%a: memref<?x?xf4E2M1FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf4E2M1FN>, %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?xbf16>) tiles = [#mx.matmul_tile<stages = 3, mma_k = 96>]
}
