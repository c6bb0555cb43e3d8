// A product of single warps: four multiply 64 x 64 each, one loads; steps of 128 bytes of a row as on tensor memory.
// RUN: mxc-opt --mx-lower-kernels=target=sm_120a %s | FileCheck %s
// RUN: not mxc-opt %s --mx-select-tiles='target=sm_120a tile="m = 256, ctas = 2"' --mx-lower-kernels=target=sm_120a 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not mxc-opt %s --mx-select-tiles='target=sm_120a tile="n = 256, stages = 2"' --mx-lower-kernels=target=sm_120a 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: not mxc-opt %s --mx-select-tiles='target=sm_120a tile="stages = 3"' --mx-lower-kernels=target=sm_120a 2>&1 | FileCheck %s --check-prefix=MEMORY
// ROWS: has m = 256, sm_120a takes 128
// COLUMNS: has n = 256, sm_120a takes 64 and 128
// MEMORY: bytes of shared memory ({{.*}}), sm_120a gives a CTA 101376

#scales = #mx.scale_layout<tcgen05>

// CHECK-LABEL: llvm.func @mxfp8(
// CHECK: mx.pipeline warps = 5{{$}}
// CHECK: mx.ring "operands" stages = 2 parts = [16384, 16384, 512, 512]
// CHECK: mx.role "multiply" first = 0 warps = 4
// CHECK: mx.warp_mma {{.*}} kind = mxf8f6f4 a = f8E4M3FN b = f8E5M2 scale = f8E8M0FNU selectors = [0, 1, 2, 3] : !mx.accumulator<64>, !mx.accumulator<64>, !mx.accumulator<64>, !mx.accumulator<64>
// CHECK: mx.accumulator_columns %[[SUM:.*]]#0[0]
// CHECK: mx.accumulator_columns %[[SUM]]#3[0]
// CHECK: mx.role "load" first = 4 warps = 1
// CHECK-COUNT-4: mx.copy_box
mx.kernel @mxfp8(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E5M2>, %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E5M2>, memref<?x?xf8E8M0FNU, #scales>) outs(%c : memref<?x?xbf16>) tiles = [#mx.matmul_tile<stages = 2, buffers = 1>]
}

// CHECK-LABEL: llvm.func @nvfp4(
// CHECK: mx.pipeline warps = 8{{$}}
// CHECK: mx.ring "operands" stages = 2 parts = [16384, 8192, 2048, 2048]
// CHECK: kind = mxf4nvf4 a = f4E2M1FN b = f4E2M1FN scale = f8E4M3FN selectors = [0, 0, 0, 0] scale_tiles = 4 : !mx.accumulator<32>, !mx.accumulator<32>, !mx.accumulator<32>, !mx.accumulator<32>
// CHECK: mx.role "load" first = 4 warps = 4
mx.kernel @nvfp4(%a: memref<?x?xf4E2M1FN>, %sa: memref<?x?xf8E4M3FN, #scales>, %b: memref<?x?xf4E2M1FN>, %sb: memref<?x?xf8E4M3FN, #scales>, %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN, #scales>, memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN, #scales>) outs(%c : memref<?x?xbf16>) tiles = [#mx.matmul_tile<n = 64, stages = 2, buffers = 1, load = element, store = rows>]
}
