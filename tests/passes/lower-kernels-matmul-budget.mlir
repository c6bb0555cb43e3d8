// A tile that does not fit is refused with the sum.
// RUN: mxc-opt --mx-lower-kernels=target=sm_100a %s -verify-diagnostics
#scales = #mx.scale_layout<tcgen05>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
             %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  // expected-error @below {{bytes of shared memory (staging 32768 + operands 256000 + }}
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>)
            outs(%c : memref<?x?xbf16>) tiles = [#mx.matmul_tile<n = 256, stages = 5>]
}
