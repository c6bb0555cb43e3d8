// The final PTX of a stage: scales, then products, then the commit that gives the stage back; LLVM sees little of their effects.
// RUN: mxc compile %s --target=sm_100a --tile='n = 128' --emit=ptx -o - | FileCheck %s
// RUN: mxc compile %s --target=sm_103a --tile='n = 128' --emit=ptx -o - | FileCheck %s
#scales = #mx.scale_layout<tcgen05>

// CHECK-LABEL: .entry matmul(
// CHECK: mbarrier.arrive.expect_tx.shared.b64 {{.*}}, %[[BYTES:r[0-9]+]];
// CHECK-COUNT-4: cp.async.bulk.tensor.{{[23]}}d.shared::cta.global.tile.mbarrier::complete_tx::bytes
// CHECK: tcgen05.cp.cta_group::1.32x128b.warpx4
// CHECK: tcgen05.cp.cta_group::1.32x128b.warpx4
// CHECK-NOT: tcgen05.c
// CHECK-COUNT-4: tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.block32
// CHECK-NOT: tcgen05.mma
// CHECK: tcgen05.commit.cta_group::1
// CHECK: tcgen05.ld.sync.aligned.32x32b.x64.b32
// CHECK: tcgen05.wait::ld
// CHECK: fence.proxy.async.shared::cta
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
mx.kernel @matmul(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
                  %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>)
            outs(%c : memref<?x?xbf16>)
}
