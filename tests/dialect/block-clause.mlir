// The clause `block` names a row of the table of block formats by its size, on every operation that has blocks.
// RUN: mxc-opt %s | mxc-opt | FileCheck %s

#scales = #mx.scale_layout<tcgen05>

// CHECK: mx.quantize {{.*}} axis = row block = 1x32 rounding = even
mx.kernel @quantize(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) rounding = even block = 1x32 axis = row
}

// CHECK: mx.dequantize {{.*}} block = 1x16
mx.kernel @dequantize(%q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E4M3FN>, %t: memref<1xf32>, %x: memref<?x?xf32>) {
  mx.dequantize ins(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN>) tensor_scale(%t : memref<1xf32>) outs(%x : memref<?x?xf32>) block = 1x16
}

// CHECK: mx.matmul {{.*}} block = 1x32 reduction = sequential
mx.kernel @matmul(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E5M2>, %sb: memref<?x?xf8E8M0FNU, #scales>,
                  %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E5M2>, memref<?x?xf8E8M0FNU, #scales>)
            outs(%c : memref<?x?xbf16>) block = 1x32 reduction = sequential
}

// Each operand's blocks; what is both's is written once.
// CHECK: mx.matmul {{.*}} block = 1x128 by 128x128
mx.kernel @blockwise(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf32, #mx.scale_layout<mn_major>>, %b: memref<?x?xf8E4M3FN>, %sb: memref<?x?xf32>,
                     %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf32, #mx.scale_layout<mn_major>>, memref<?x?xf8E4M3FN>, memref<?x?xf32>)
            outs(%c : memref<?x?xbf16>) block = 1x128 by 128x128
}

// CHECK: mx.matmul {{.*}} block = 1x128 by 1x128
mx.kernel @rows_of_both(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf32, #mx.scale_layout<mn_major>>, %b: memref<?x?xf8E4M3FN>,
                        %sb: memref<?x?xf32, #mx.scale_layout<mn_major>>, %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf32, #mx.scale_layout<mn_major>>, memref<?x?xf8E4M3FN>, memref<?x?xf32, #mx.scale_layout<mn_major>>)
            outs(%c : memref<?x?xbf16>) block = 1x128 by 1x128
}
