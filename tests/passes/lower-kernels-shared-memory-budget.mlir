// 32 warps x 4 rows x 256 columns x 4 bytes and an mbarrier: it fits where a CTA has 227 KB, not where it has 99.
// RUN: mxc-opt --mx-lower-kernels=target=sm_100a %s | FileCheck %s
// RUN: not mxc-opt --mx-lower-kernels=target=sm_120a %s 2>&1 | FileCheck %s --check-prefix=REFUSED

// CHECK: \22shared_bytes\22:131088
// REFUSED: error: 'mx.quantize' op tile #mx.quantize_tile<variant = bulk, warps = 32, {{.*}}> needs 131088 bytes of shared memory (inputs 131072 + inputs barriers 16), sm_120a gives a CTA 101376
mx.kernel @quantize(%x: memref<?x?xf32>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xf32>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      tiles = [#mx.quantize_tile<variant = bulk, warps = 32>]
}
