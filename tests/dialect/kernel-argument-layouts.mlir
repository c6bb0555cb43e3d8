// Static shapes, row strides and scale layouts.
// RUN: mxc-opt %s | mxc-opt | FileCheck %s
// RUN: mxc-opt --mlir-print-op-generic %s | mxc-opt | FileCheck %s

// 65 columns are three blocks.
// CHECK: mx.kernel @static(%x: memref<100x65xbf16>, %q: memref<100x65xf8E4M3FN>, %s: memref<100x3xf8E8M0FNU>)
mx.kernel @static(%x: memref<100x65xbf16>, %q: memref<100x65xf8E4M3FN>, %s: memref<100x3xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<100x65xbf16>) outs(%q, %s : memref<100x65xf8E4M3FN>, memref<100x3xf8E8M0FNU>)
}

// CHECK: mx.kernel @static_in_part(%x: memref<?x64xbf16>, %q: memref<8x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>)
mx.kernel @static_in_part(%x: memref<?x64xbf16>, %q: memref<8x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x64xbf16>) outs(%q, %s : memref<8x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}

// CHECK: mx.kernel @strided(%x: memref<?x?xbf16, strided<[?, 1]>>, %q: memref<?x64xf8E4M3FN, strided<[128, 1]>>, %s: memref<?x2xf8E8M0FNU>)
mx.kernel @strided(%x: memref<?x?xbf16, strided<[?, 1]>>, %q: memref<?x64xf8E4M3FN, strided<[128, 1]>>, %s: memref<?x2xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16, strided<[?, 1]>>)
      outs(%q, %s : memref<?x64xf8E4M3FN, strided<[128, 1]>>, memref<?x2xf8E8M0FNU>)
}

// CHECK: mx.kernel @dense(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU, #mx.scale_layout<dense>>, %x: memref<?x?xf32>)
mx.kernel @dense(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU, #mx.scale_layout<dense>>, %x: memref<?x?xf32>) {
  mx.dequantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #mx.scale_layout<dense>>) outs(%x : memref<?x?xf32>)
}

// CHECK: mx.kernel @tcgen05(%x: memref<100x64xbf16>, %q: memref<100x64xf8E4M3FN>, %s: memref<100x2xf8E8M0FNU, #mx.scale_layout<tcgen05>>)
#scales = #mx.scale_layout<tcgen05>
mx.kernel @tcgen05(%x: memref<100x64xbf16>, %q: memref<100x64xf8E4M3FN>, %s: memref<100x2xf8E8M0FNU, #scales>) {
  mx.quantize ins(%x : memref<100x64xbf16>) outs(%q, %s : memref<100x64xf8E4M3FN>, memref<100x2xf8E8M0FNU, #scales>)
}
