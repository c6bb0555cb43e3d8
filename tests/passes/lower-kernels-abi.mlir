// The record of the ABI, as mxc inspect prints it: arguments, then a variant a tile in launch order, with its condition,
// grid and alignments.
// RUN: mxc compile %s --target=sm_90a --emit=ptx -o %t.ptx
// RUN: mxc inspect --all %t.ptx | FileCheck %s
// RUN: mxc inspect --json %t.ptx | FileCheck %s --check-prefix=JSON
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a %s | FileCheck %s --check-prefix=ENTRIES

// CHECK: target sm_90a, compiled by mxc {{.*}}, numerics version 1
// CHECK: kernel quantize (dimensions M, K)
// CHECK-NEXT: operation quantize: axis = row, format = mxfp8_e5m2, rounding = floor, special = saturate, tiny = exact
// CHECK-NEXT: work       reads M * K * 2 bytes, writes M * K + M * ceildiv(K, 32)
// CHECK-NEXT: arguments
// CHECK-NEXT: in   x  bf16   [M, K]               row stride given at launch            aligned to 2
// CHECK-NEXT: out  q  e5m2   [M, K]               contiguous rows                       aligned to 1   codes
// CHECK-NEXT: out  s  ue8m0  [M, ceildiv(K, 32)]  tcgen05 scales, whole 512-byte tiles  aligned to 16  scales of q

// Along columns: the slower direction is shared out over y and z. The tile's own condition comes last.
// CHECK-NEXT: variant 0: entry quantize
// CHECK-NEXT: tile {{.*}}order = columns, when = "M < 9 || K < 3"
// CHECK-NEXT: when        K % 8 == 0 && M <= 2147418112 && K <= 2147418112 && (M < 9 || K < 3), x aligned to 16, q aligned to 8
// CHECK-NEXT: grid        (ceildiv(K, 256), min(ceildiv(M, 128) * 32, 65535), ceildiv(ceildiv(M, 128) * 32, 65535))
// CHECK-NEXT: block       (128, 1, 1)
// CHECK-NEXT: cluster     (1, 1, 1)
// CHECK-NEXT: shared      0 bytes
// CHECK-NEXT: parameters  address of x, row stride of x, address of q, address of s, M, K

// Along rows.
// CHECK-NEXT: variant 1: entry quantize$1
// CHECK: grid        (ceildiv(M, 128) * 1, min(ceildiv(K, 256), 65535), ceildiv(ceildiv(K, 256), 65535))
// CHECK-NEXT: block       (1024, 1, 1)
// CHECK: variant 2: entry quantize$2
// CHECK-NEXT: tile {{.*}}access = element
// CHECK-NEXT: when        always

// JSON: "strides": [
// JSON-NEXT: "?",
// JSON-NEXT: null
// JSON: "version": 3

// ENTRIES: module attributes {mx.abi = "{{.*}}\22version\22:3}"}
// ENTRIES: llvm.func @quantize(
// ENTRIES: llvm.func @quantize$1(
// ENTRIES: llvm.func @quantize$2(
mx.kernel @quantize(%x: memref<?x?xbf16, strided<[?, 1]>>, %q: memref<?x?xf8E5M2>, %s: memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) {
  mx.quantize ins(%x : memref<?x?xbf16, strided<[?, 1]>>) outs(%q, %s : memref<?x?xf8E5M2>, memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>)
      rounding = floor special = saturate
      tiles = [#mx.quantize_tile<warps = 4, rows_per_warp = 1, when = "M < 9 || K < 3">, #mx.quantize_tile<warps = 32, order = rows>, #mx.quantize_tile<access = element>]
}
