// Groups side by side, along rows: a grid of the matrix's tiles. One load of ends, which says how many rows there are, comes
// before the inputs'; a second is under way with them, and looked at when the codes are stored. Nothing else waits for ends.
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a --canonicalize --cse %s | FileCheck %s
// RUN: mxc compile %s --target=sm_90a --emit=ptx -o %t.ptx
// RUN: mxc inspect --all %t.ptx | FileCheck %s --check-prefix=GRID

#scales = #mx.scale_layout<tcgen05>

// GRID: grid (ceildiv(K, 256), min(ceildiv(M, 128) * min(min(G, M), 1) * 2, 65535), ceildiv(ceildiv(M, 128) * min(min(G, M), 1) * 2, 65535))

// CHECK-LABEL: llvm.func @side_by_side(
// CHECK-SAME: %[[X:.*]]: !llvm.ptr<1>, %[[ENDS:.*]]: !llvm.ptr<1>, %[[Q:.*]]: !llvm.ptr<1>, %[[S:.*]]: !llvm.ptr<1>, %arg4
mx.kernel @side_by_side(%x: memref<?x?xbf16>, %ends: memref<?xi32>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU, #scales>) {
  // CHECK: nvvm.griddepcontrol wait
  // CHECK: %[[SHARE:.*]] = llvm.getelementptr %[[ENDS]]
  // CHECK-NEXT: %[[LAST:.*]] = llvm.load %[[SHARE]] {{.*}} -> i32
  // CHECK: nvvm.shfl.sync idx %{{.*}}, %[[LAST]], %c31_i32
  // CHECK-NOT: llvm.load
  // CHECK: scf.if
  // CHECK: %[[FOLLOWING:.*]] = llvm.getelementptr %[[ENDS]]
  // CHECK-NEXT: %[[WINDOW:.*]] = llvm.load %[[FOLLOWING]] {{.*}} -> i32
  // CHECK-COUNT-4: llvm.load {{.*}} -> vector<4xi32>
  // CHECK-NOT: llvm.load
  // CHECK-COUNT-4: "@$0 st.global.v2.b32
  // CHECK: scf.while ({{.*}} = %[[WINDOW]],
  // The word of scales, then zeros after a group's last row.
  // CHECK: mx.gather_scales
  // CHECK: llvm.store {{.*}} : i32, !llvm.ptr<1>
  // CHECK: scf.for
  // CHECK: llvm.store %c0_i32, {{.*}} : i32, !llvm.ptr<1>
  // CHECK: loop_annotation
  mx.quantize ins(%x : memref<?x?xbf16>) groups(%ends : memref<?xi32>)
      outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) align = 1 tiles = [#mx.quantize_tile<warps = 16>]
}
