// Loads and conversions by type: what the input and the element format change in the PTX.
// RUN: mxc compile %s --target=sm_90a --tile='rows_per_warp = 1' --emit=ptx | FileCheck %s -DF32_LOAD=v4.b32
// RUN: mxc compile %s --target=sm_100a --tile='rows_per_warp = 1' --emit=ptx | FileCheck %s -DF32_LOAD=v4.b64
// RUN: mxc compile %s --target=sm_120a --tile='rows_per_warp = 1' --emit=ptx | FileCheck %s -DF32_LOAD=v2.b64
// REQUIRES: ptxas
// RUN: %S/Inputs/assemble %s | FileCheck %s --check-prefix=ALL
// ALL: sm_90a: {{[0-9]+}} entries, no spills
// ALL: sm_100a: {{[0-9]+}} entries, no spills
// ALL: sm_120a: {{[0-9]+}} entries, no spills

// Both formats end in 1.75 times a power of two, so ceil has one constant for them.
// CHECK-LABEL: .visible .entry to_e5m2(
// CHECK: ld.global.v4.b32
// CHECK: add.s32 {{.*}}, 2097151
// CHECK-COUNT-4: cvt.rn.satfinite.e5m2x2.f32
mx.kernel @to_e5m2(%x: memref<?x?xbf16>, %q: memref<?x?xf8E5M2>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E5M2>, memref<?x?xf8E8M0FNU>)
}

// The maximum of f16 is one of 16-bit integers too; only the block's maximum is converted for the scale.
// CHECK-LABEL: .visible .entry from_f16(
// CHECK: ld.global.v{{4.b32|2.b64}}
// CHECK: max.u16x2
// CHECK: shfl.sync.bfly.b32
// CHECK: cvt.f32.f16
// CHECK-COUNT-4: cvt.rn.satfinite.e4m3x2.f32
mx.kernel @from_f16(%x: memref<?x?xf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}

// 32 bytes a lane: one load where the chip has it.
// CHECK-LABEL: .visible .entry from_f32(
// CHECK: ld.global.[[F32_LOAD]]
// CHECK: max.u32
// CHECK: shfl.sync.bfly.b32
// CHECK-COUNT-4: cvt.rn.satfinite.e4m3x2.f32
mx.kernel @from_f32(%x: memref<?x?xf32>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xf32>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}
