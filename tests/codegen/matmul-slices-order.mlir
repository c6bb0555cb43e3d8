// Who adds the parts of a tile: all lanes' writes, then one lane's count with release and acquire, then all lanes' reads.
// RUN: mxc compile %s --target=sm_100a --tile='n = 64, slices = 2' --emit=ptx -o - | FileCheck %s
#scales = #mx.scale_layout<tcgen05>

// CHECK: .entry matmul(
// CHECK: st.global.v2.b64
// CHECK: bar.warp.sync
// CHECK: atom.acq_rel.gpu.global.add.u32
// CHECK: shfl.sync.idx
// CHECK: bar.warp.sync
// CHECK: st.global.b32 [{{.*}}], 0;
// CHECK: ld.global.v2.b64
// CHECK: add.{{.*}}f32
// CHECK: cp.async.bulk.tensor.2d.global
// CHECK: .entry matmul$1(
mx.kernel @matmul(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
                  %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>)
            outs(%c : memref<?x?xbf16>)
}
