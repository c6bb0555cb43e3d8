// 32 bytes a load where the chip has them, else twice 16.
// RUN: mxc-opt --mx-lower-kernels=target=sm_100a %s | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: mxc-opt --mx-lower-kernels=target=sm_103a %s | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a %s | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: mxc-opt --mx-lower-kernels=target=sm_120a %s | FileCheck %s --check-prefixes=CHECK,NARROW

// WIDE: \22alignments\22:[{\22argument\22:\22x\22,\22bytes\22:32},{\22argument\22:\22q\22,\22bytes\22:16}]
// NARROW: \22alignments\22:[{\22argument\22:\22x\22,\22bytes\22:16},{\22argument\22:\22q\22,\22bytes\22:16}]
// CHECK-SAME: \22when\22:\22K % 16 == 0
mx.kernel @quantize(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // WIDE: llvm.load %{{.*}} {alignment = 32 : i64} : !llvm.ptr<1> -> vector<8xi32>
  // NARROW: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xi32>
  // CHECK: mx.block_amax %{{.*}} lanes = 2 special = propagate : vector<16xbf16> -> i32
  // CHECK: llvm.inline_asm {{.*}} "@$0 st.global.v4.b32 [$1], {$2, $3, $4, $5};"
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      tiles = [#mx.quantize_tile<rows_per_warp = 1, lane_elements = 16>]
}
