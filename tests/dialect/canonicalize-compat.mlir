// A preset is spelled out, so that the passes see one form.
// RUN: mxc-opt --canonicalize %s | FileCheck %s --implicit-check-not=compat

// CHECK-LABEL: mx.kernel @te
mx.kernel @te(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK-NEXT: mx.quantize {{.*}} axis = row rounding = ceil special = saturate tiny = exact{{$}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) axis = row compat = "te"
}

// CHECK-LABEL: mx.kernel @torchao
mx.kernel @torchao(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK-NEXT: mx.quantize {{.*}} axis = row rounding = ceil special = propagate tiny = exact{{$}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) axis = row compat = "torchao"
}

// CHECK-LABEL: mx.kernel @megatron
mx.kernel @megatron(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK-NEXT: mx.quantize {{.*}} axis = row rounding = ceil special = nan_scale tiny = byte_one{{$}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) axis = row compat = "megatron"
}

// CHECK-LABEL: mx.kernel @cublas
mx.kernel @cublas(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // CHECK-NEXT: mx.quantize {{.*}} axis = row rounding = ceil special = propagate tiny = exact{{$}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) axis = row compat = "cublas"
}

// CHECK-LABEL: mx.kernel @deepseek
mx.kernel @deepseek(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf32>) {
  // CHECK-NEXT: mx.quantize {{.*}} axis = row rounding = reciprocal special = ieee tiny = clamp{{$}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf32>) axis = row compat = "deepseek"
}

// CHECK-LABEL: mx.kernel @te_blockwise
mx.kernel @te_blockwise(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf32>) {
  // CHECK-NEXT: mx.quantize {{.*}} axis = row rounding = ceil special = unit_scale tiny = exact{{$}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf32>) axis = row compat = "te_blockwise"
}
