// Eight elements a lane, of one block of 32; 16 lanes agree on the scale of a block of 128.
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a --canonicalize --cse %s | FileCheck %s

!codes = memref<?x?xf8E4M3FN>
!tiles = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
!lines = memref<?x?xf32, #mx.scale_layout<mn_major>>

// CHECK: \22attributes\22:{\22format\22:\22mxfp8_e4m3\22,\22result\22:\22fp8_e4m3_1x128\22}
// CHECK-LABEL: llvm.func @requantize(
mx.kernel @requantize(%q: !codes, %s: !tiles, %r: !codes, %t: !lines) {
  // CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
  // CHECK: mx.scale_offset[%{{.*}}, %{{.*}}] of %{{.*}} layout = <tcgen05>
  // CHECK: llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr<1> -> i8
  // CHECK: mx.convert_unpack %{{.*}} by %{{.*}} element = f8E4M3FN : vector<2xi32> -> vector<8xf32>
  // CHECK-COUNT-4: nvvm.shfl.sync
  // CHECK-NOT: nvvm.shfl.sync
  // CHECK: mx.convert_pack %{{.*}} by %{{.*}} element = f8E4M3FN scale = f8E8M0FNU : vector<8xf32> -> vector<2xi32>
  // CHECK: mx.decode_scale %{{.*}} scale = f8E8M0FNU
  // Nothing counts.
  // CHECK-NOT: red.relaxed
  // CHECK: mx.scale_offset[%{{.*}}, %{{.*}}] of %{{.*}} layout = <mn_major>
  mx.requantize ins(%q, %s : !codes, !tiles) outs(%r, %t : !codes, !lines) tiles = [#mx.quantize_tile<rows_per_warp = 1>]
}
