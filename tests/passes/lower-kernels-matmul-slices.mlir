// A tile with slices: parts and counters are workspaces of this variant alone; each slice walks its steps, the last warp adds.
// RUN: mxc-opt --mx-lower-kernels=target=sm_100a --canonicalize --cse %s | FileCheck %s
#scales = #mx.scale_layout<tcgen05>

// CHECK: bytes\22:\2265536 * (ceildiv(M, 128) * ceildiv(N, 64))\22{{.*}}mxc.parts{{.*}}\22zeroed\22:\22no
// CHECK-SAME: bytes\22:\2216 * (ceildiv(M, 128) * ceildiv(N, 64))\22{{.*}}mxc.arrivals{{.*}}\22zeroed\22:\22once
// CHECK-LABEL: llvm.func @slices(
// CHECK-SAME: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>
// CHECK: mx.role "multiply"
// CHECK: mx.tiles {{.*}} schedule = #mx.static_schedule<supergroup = 8, slices = 2>
// CHECK: mx.role "store"
// CHECK: mx.use
// CHECK: mx.read_accumulator
// CHECK: mx.release
// CHECK: llvm.store
// CHECK: %[[LAST:.*]] = mx.last_of %{{.*}} count = 2
// CHECK: scf.if %[[LAST]]
// CHECK: arith.addf
// CHECK: mx.store_box
// CHECK-LABEL: llvm.func @slices$1(
// CHECK-NOT: !llvm.ptr<1>
// CHECK: mx.pipeline
mx.kernel @slices(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
                  %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>)
            outs(%c : memref<?x?xbf16>) tiles = [#mx.matmul_tile<n = 64, slices = 2>, #mx.matmul_tile<n = 64>]
}
