// The record in global memory (constant memory is limited to 64 KB): "MXC-ABI", 0, the version, the JSON's length and
// checksum, the JSON.
// RUN: mxc-opt --mx-embed-abi %s | FileCheck %s --implicit-check-not=mx.abi

// CHECK: module {
// CHECK-NEXT: llvm.mlir.global external constant @__mxc_abi("MXC-ABI\0000000003
// CHECK-SAME: {\22compiler_version\22:\22test\22,{{.*}}\22target\22:\22sm_90a\22,\22version\22:3}
// CHECK-SAME: ") {addr_space = 1 : i32, alignment = 16 : i64}{{$}}
module attributes {mx.abi = "{\22version\22:3,\22compiler_version\22:\22test\22,\22numerics_version\22:1,\22target\22:\22sm_90a\22,\22kernels\22:[]}"} {
  // CHECK-NEXT: llvm.func @kernel()
  llvm.func @kernel() {
    llvm.return
  }
}
