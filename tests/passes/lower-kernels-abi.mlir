// The record of the ABI: arguments, then a variant a tile in launch order, with its condition, grid and alignments.
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a %s | FileCheck %s

// CHECK: module attributes {mx.abi = "{\22compiler_version\22:
// CHECK-SAME: {\22alignment\22:2,\22columns\22:\22K\22,\22layout\22:\22row_major\22,\22name\22:\22x\22,\22output\22:false,\22rows\22:\22M\22,\22type\22:\22bf16\22}
// CHECK-SAME: {\22alignment\22:1,\22columns\22:\22K\22,\22layout\22:\22row_major\22,\22name\22:\22q\22,\22output\22:true,\22rows\22:\22M\22,\22type\22:\22e5m2\22}
// CHECK-SAME: {\22alignment\22:16,\22columns\22:\22ceildiv(K, 32)\22,\22layout\22:\22scale_tcgen05\22,\22name\22:\22s\22,\22output\22:true,\22rows\22:\22M\22,\22type\22:\22ue8m0\22}
// CHECK-SAME: \22dimensions\22:[\22M\22,\22K\22],\22name\22:\22quantize\22
// CHECK-SAME: \22attributes\22:{\22axis\22:\22row\22,\22data\22:\22q\22,\22element\22:\22e5m2\22,\22rounding\22:\22floor\22,\22scales\22:\22s\22,\22special\22:\22saturate\22,\22tiny\22:\22exact\22},\22name\22:\22quantize\22,\22prologue\22:false
// Along columns: the slower direction is shared out over y and z.
// CHECK-SAME: \22alignments\22:[{\22argument\22:\22x\22,\22bytes\22:16},{\22argument\22:\22q\22,\22bytes\22:8}],\22block\22:[128,1,1],\22cluster\22:[1,1,1],\22entry\22:\22quantize\22
// CHECK-SAME: \22grid\22:[\22ceildiv(K, 256)\22,\22min(ceildiv(M, 128) * 32, 65535)\22,\22ceildiv(ceildiv(M, 128) * 32, 65535)\22]
// CHECK-SAME: \22parameters\22:[{\22kind\22:\22pointer\22,\22name\22:\22x\22},{\22kind\22:\22pointer\22,\22name\22:\22q\22},{\22kind\22:\22pointer\22,\22name\22:\22s\22},{\22kind\22:\22dimension\22,\22name\22:\22M\22},{\22kind\22:\22dimension\22,\22name\22:\22K\22}]
// CHECK-SAME: \22shared_bytes\22:0
// CHECK-SAME: \22when\22:\22K % 8 == 0 && M <= 2147418112 && K <= 2147418112 && (M < 9)\22
// Along rows.
// CHECK-SAME: \22block\22:[1024,1,1],{{.*}}\22entry\22:\22quantize$1\22
// CHECK-SAME: \22grid\22:[\22ceildiv(M, 128) * 1\22,\22min(ceildiv(K, 256), 65535)\22,\22ceildiv(ceildiv(K, 256), 65535)\22]
// CHECK-SAME: \22alignments\22:[],{{.*}}\22entry\22:\22quantize$2\22{{.*}}\22when\22:\22\22}]
// CHECK-SAME: \22numerics_version\22:1,\22target\22:\22sm_90a\22,\22version\22:1}"}
// CHECK: llvm.func @quantize(
// CHECK: llvm.func @quantize$1(
// CHECK: llvm.func @quantize$2(
mx.kernel @quantize(%x: memref<?x?xbf16>, %q: memref<?x?xf8E5M2>, %s: memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E5M2>, memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>)
      rounding = floor special = saturate
      tiles = [#mx.quantize_tile<warps = 4, rows_per_warp = 1, when = "M < 9">, #mx.quantize_tile<warps = 32, order = rows>, #mx.quantize_tile<access = element>]
}
