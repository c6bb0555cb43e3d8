// A product with few rows of a as rings and roles: two CTAs share K.
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a --canonicalize --cse %s | FileCheck %s
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a --canonicalize --cse %s | mxc-opt | FileCheck %s
#scales = #mx.scale_layout<tcgen05>

// CHECK-LABEL: llvm.func @few(
// CHECK: mx.pipeline warps = 12 splits = 2
// CHECK: %[[WEIGHTS:.*]] = mx.ring "weights" stages = 8 parts = [16384, 512]
// CHECK: %[[CODES:.*]] = mx.ring "codes" stages = 4 parts = [2048, 512]
// CHECK: %[[TOKENS:.*]] = mx.ring "tokens" stages = 4 parts = [2048]
// CHECK: %[[TOKENS1:.*]] = mx.ring "tokens 1" stages = 4 parts = [2048]
// CHECK: mx.role "multiply" first = 0 warps = 8 {
// CHECK: scf.for
// CHECK: mx.use %[[WEIGHTS]] -> !mx.accumulator<16> {
// CHECK: %[[A:.*]] = mx.load_fragments %[[WEIGHTS]][%{{.*}}] half = 0 first %{{.*}} blocks %{{.*}} f8E4M3FN
// CHECK: mx.use %[[TOKENS]] -> !mx.accumulator<16> {
// CHECK: mx.fragment_mma %[[A]], %[[TOKENS]]
// CHECK: %[[B:.*]] = mx.load_fragments %[[WEIGHTS]][%{{.*}}] half = 1
// CHECK: mx.release %[[WEIGHTS]]
// CHECK: mx.use %[[TOKENS1]] -> !mx.accumulator<16> {
// CHECK: mx.fragment_mma %[[B]], %[[TOKENS1]]
// CHECK: mx.finish %[[TOKENS1]], %{{.*}} last
// CHECK-NOT: mx.finish
// The sums take the place of codes and tokens that all its warps have read.
// CHECK: mx.role_barrier
// CHECK: mx.stage_address %[[CODES]]
// CHECK: mx.role "load weights" first = 8 warps = 1 {
// CHECK: mx.fill %[[WEIGHTS]] {
// CHECK: mx.copy_box {{.*}} part = 0 bytes = 16384
// CHECK: mx.copy_box {{.*}} part = 1 bytes = 512
// CHECK: mx.role "load tokens" first = 9 warps = 1 {
// CHECK: mx.fill %[[CODES]] {
// CHECK: mx.copy_box {{.*}} part = 0 bytes = 2048
// CHECK: mx.copy_box {{.*}} part = 1 bytes = 512
// CHECK: mx.role "dequantize" first = 10 warps = 1 {
// CHECK: mx.use %[[CODES]] {
// CHECK: mx.fill %[[TOKENS]] {
// CHECK: mx.stage_address %[[CODES]]
// CHECK: mx.convert_unpack
// CHECK: mx.role "dequantize 1" first = 11 warps = 1 {
// CHECK: mx.fill %[[TOKENS1]] {
// CHECK: mx.cluster_load %{{.*}} of %c0_i32
// CHECK: mx.cluster_load %{{.*}} of %c1_i32
// CHECK: mx.cluster_barrier
mx.kernel @few(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
               %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>)
            outs(%c : memref<?x?xbf16>) tiles = [#mx.swap_tile<>, #mx.matmul_tile<load = element, store = rows>]
}

// Two pairs of warpgroups share the CTA's part of K, each with rings of its own.
// CHECK-LABEL: llvm.func @parts(
// CHECK: mx.pipeline warps = 20
// CHECK: mx.ring "weights"
// CHECK: %[[WEIGHTS1:.*]] = mx.ring "weights 1"
// CHECK: %[[TOKENS3:.*]] = mx.ring "tokens 3"
// CHECK: mx.role "multiply" first = 0 warps = 8 {
// CHECK: mx.role "multiply 1" first = 8 warps = 8 {
// CHECK: mx.use %[[WEIGHTS1]] -> !mx.accumulator<16> {
// CHECK: mx.finish %[[TOKENS3]]
// CHECK: mx.role "load weights" first = 16 warps = 1 {
mx.kernel @parts(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
                 %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>)
            outs(%c : memref<?x?xbf16>) tiles = [#mx.swap_tile<parts = 2, stages = 2>, #mx.matmul_tile<load = element, store = rows>]
}

// bf16 once for all CTAs; weights that are constant are loaded before earlier grids are done.
// CHECK-LABEL: llvm.func @copies(
// CHECK-NOT: mx.ring "codes"
// CHECK: mx.role "load weights" first = 8 warps = 1 early {
// CHECK: mx.role "load tokens" first = 9 warps = 1 {
// CHECK: mx.await
// CHECK: mx.leave {{.*}} warps = 3
// CHECK: mx.role "dequantize" first = 10 warps = 2 {
// CHECK: mx.ticket
// CHECK: mx.publish
// CHECK: mx.leave
mx.kernel @copies(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>,
                  %sb: memref<?x?xf8E8M0FNU, #scales>, %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>)
            outs(%c : memref<?x?xbf16>) constant = b tiles = [#mx.swap_tile<tokens = 128, stages = 3, code_stages = 0>, #mx.matmul_tile<load = element, store = rows>]
}
