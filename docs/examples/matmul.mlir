// c = a b^T, both operands in MXFP8: e4m3 elements with one scale for every 32 of them along K, the scales in the order that
// the tensor cores read (what mx.quantize writes). Any M, N and K.
//
//   mxc compile docs/examples/matmul.mlir --target=sm_100a -o matmul.cubin

#scales = #mx.scale_layout<tcgen05>

mx.kernel @matmul(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>,
                  %b: memref<?x?xf8E4M3FN>, %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>,
                                   memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>)
            outs(%c : memref<?x?xbf16>)
}
