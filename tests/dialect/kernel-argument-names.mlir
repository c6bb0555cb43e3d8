// Names are kept: they become the ABI's.
// RUN: mxc-opt %s | mxc-opt | FileCheck %s
// RUN: mxc-opt --mlir-print-op-generic %s | mxc-opt | FileCheck %s
// RUN: mxc-opt --mlir-print-op-generic %s | FileCheck %s --check-prefix=GENERIC

// CHECK: mx.kernel @named(%input: memref<?x?xbf16>, %input_2: memref<?x?xf8E4M3FN>, %Scales: memref<?x?xf8E8M0FNU>) {
// GENERIC: "mx.kernel"() <{arg_names = ["input", "input_2", "Scales"], sym_name = "named"}>
mx.kernel @named(%input: memref<?x?xbf16>, %input_2: memref<?x?xf8E4M3FN>, %Scales: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%input : memref<?x?xbf16>) outs(%input_2, %Scales : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}

// The same names in a second kernel.
// CHECK: mx.kernel @named_too(%input: memref<?x?xf32>, %q: memref<?x?xf8E4M3FN>, %Scales: memref<?x?xf8E8M0FNU>)
mx.kernel @named_too(%input: memref<?x?xf32>, %q: memref<?x?xf8E4M3FN>, %Scales: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%input : memref<?x?xf32>) outs(%q, %Scales : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}

// Numbers are no names of an ABI.
// CHECK: mx.kernel @numeric(%arg0: memref<?x?xbf16>, %arg1: memref<?x?xf8E4M3FN>, %arg2: memref<?x?xf8E8M0FNU>)
// GENERIC: arg_names = ["arg0", "arg1", "arg2"], sym_name = "numeric"
mx.kernel @numeric(%0: memref<?x?xbf16>, %1: memref<?x?xf8E4M3FN>, %2: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%0 : memref<?x?xbf16>) outs(%1, %2 : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}

// CHECK: mx.kernel @attributes({{.*}}) attributes {note = "kept"} {
mx.kernel @attributes(%a: memref<?x?xf8E8M0FNU>, %b: memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) attributes {note = "kept"} {
  mx.pack_scales ins(%a : memref<?x?xf8E8M0FNU>) outs(%b : memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>)
}

// Inputs need not come first.
// CHECK: mx.kernel @outputs_first(%s: {{.*}}, %q: {{.*}}, %x: {{.*}})
mx.kernel @outputs_first(%s: memref<?x?xf8E8M0FNU>, %q: memref<?x?xf8E4M3FN>, %x: memref<?x?xbf16>) {
  // CHECK-NEXT: mx.quantize ins(%x : {{.*}}) outs(%q, %s
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}
