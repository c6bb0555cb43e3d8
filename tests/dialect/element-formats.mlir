// Every element format, every input type, both operations.
// RUN: mxc-opt %s | mxc-opt | FileCheck %s
// RUN: mxc-opt --mlir-print-op-generic %s | mxc-opt | FileCheck %s

// CHECK: mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
mx.kernel @e4m3(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}
// CHECK: mx.quantize ins(%x : memref<?x?xf16>) outs(%q, %s : memref<?x?xf8E5M2>, memref<?x?xf8E8M0FNU>)
mx.kernel @e5m2(%x: memref<?x?xf16>, %q: memref<?x?xf8E5M2>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xf16>) outs(%q, %s : memref<?x?xf8E5M2>, memref<?x?xf8E8M0FNU>)
}
// CHECK: mx.quantize ins(%x : memref<?x?xf32>) outs(%q, %s : memref<?x?xf6E3M2FN>, memref<?x?xf8E8M0FNU>)
mx.kernel @e3m2(%x: memref<?x?xf32>, %q: memref<?x?xf6E3M2FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xf32>) outs(%q, %s : memref<?x?xf6E3M2FN>, memref<?x?xf8E8M0FNU>)
}
// CHECK: mx.dequantize ins(%q, %s : memref<?x?xf6E2M3FN>, memref<?x?xf8E8M0FNU>) outs(%x : memref<?x?xbf16>)
mx.kernel @e2m3(%q: memref<?x?xf6E2M3FN>, %s: memref<?x?xf8E8M0FNU>, %x: memref<?x?xbf16>) {
  mx.dequantize ins(%q, %s : memref<?x?xf6E2M3FN>, memref<?x?xf8E8M0FNU>) outs(%x : memref<?x?xbf16>)
}
// CHECK: mx.dequantize ins(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU>) outs(%x : memref<?x?xf16>)
mx.kernel @e2m1(%q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E8M0FNU>, %x: memref<?x?xf16>) {
  mx.dequantize ins(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU>) outs(%x : memref<?x?xf16>)
}
// 16 elements under a ue4m3 scale: an element's type, known as scales by its operand.
// CHECK: mx.quantize ins(%x : memref<?x64xbf16>) tensor_scale(%t : memref<1xf32>) outs(%q, %s : memref<?x64xf4E2M1FN>, memref<?x4xf8E4M3FN>)
mx.kernel @nvfp4(%x: memref<?x64xbf16>, %t: memref<1xf32>, %q: memref<?x64xf4E2M1FN>, %s: memref<?x4xf8E4M3FN>) {
  mx.quantize ins(%x : memref<?x64xbf16>) tensor_scale(%t : memref<1xf32>) outs(%q, %s : memref<?x64xf4E2M1FN>, memref<?x4xf8E4M3FN>)
}
