// Roundings, special modes and strided rows assemble for each generation, without spills.
// REQUIRES: ptxas
// RUN: %S/Inputs/assemble --registers=72 %s | FileCheck %s
// CHECK: sm_90a: {{[0-9]+}} entries, no spills
// CHECK: sm_100a: {{[0-9]+}} entries, no spills
// CHECK: sm_120a: {{[0-9]+}} entries, no spills
#scales = #mx.scale_layout<tcgen05>
#rows = strided<[?, 1]>

mx.kernel @floor_saturate(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU, #scales>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>)
      rounding = floor special = saturate
}
mx.kernel @even_nan_scale(%x: memref<?x?xf16>, %q: memref<?x?xf8E5M2>, %s: memref<?x?xf8E8M0FNU, #scales>) {
  mx.quantize ins(%x : memref<?x?xf16>) outs(%q, %s : memref<?x?xf8E5M2>, memref<?x?xf8E8M0FNU, #scales>)
      rounding = even special = nan_scale tiny = byte_one
}
mx.kernel @f32_saturate(%x: memref<?x?xf32>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xf32>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      rounding = ceil special = saturate
}
mx.kernel @te(%x: memref<?x?xbf16, #rows>, %q: memref<?x?xf8E4M3FN, #rows>, %s: memref<?x?xf8E8M0FNU, #scales>) {
  mx.quantize ins(%x : memref<?x?xbf16, #rows>) outs(%q, %s : memref<?x?xf8E4M3FN, #rows>, memref<?x?xf8E8M0FNU, #scales>)
      compat = "te"
}
mx.kernel @fixed(%x: memref<300x100xbf16>, %q: memref<300x100xf8E4M3FN>, %s: memref<300x4xf8E8M0FNU, #scales>) {
  mx.quantize ins(%x : memref<300x100xbf16>) outs(%q, %s : memref<300x100xf8E4M3FN>, memref<300x4xf8E8M0FNU, #scales>)
}
