// RUN: mxc-opt %s | mxc-opt | FileCheck %s
// RUN: mxc-opt --mlir-print-op-generic %s | mxc-opt | FileCheck %s

#scales = #mx.scale_layout<tcgen05>

// CHECK-LABEL: mx.kernel @plain
mx.kernel @plain(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU, #scales>, %x: memref<?x?xbf16, strided<[?, 1]>>) {
  // CHECK-NEXT: mx.dequantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) outs(%x : memref<?x?xbf16, strided<[?, 1]>>){{$}}
  mx.dequantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) outs(%x : memref<?x?xbf16, strided<[?, 1]>>)
}

// CHECK-LABEL: mx.kernel @tiles
mx.kernel @tiles(%q: memref<?x?xf8E5M2>, %s: memref<?x?xf8E8M0FNU>, %x: memref<?x?xf32>) {
  // CHECK-NEXT: mx.dequantize {{.*}} tiles = [#mx.quantize_tile<{{.*}}warps = 4, {{.*}}when = "M <= 128">, #mx.quantize_tile<{{.*}}access = element{{.*}}>] {note = "kept"}
  mx.dequantize ins(%q, %s : memref<?x?xf8E5M2>, memref<?x?xf8E8M0FNU>) outs(%x : memref<?x?xf32>)
      tiles = [#mx.quantize_tile<when = "M <= 128", warps = 4>, #mx.quantize_tile<access = element>] {note = "kept"}
}
