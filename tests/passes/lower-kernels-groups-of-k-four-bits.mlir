// Groups of K begin at multiples of 128, and steps of two operands of 4 bits have 256 elements: a step begins with the
// group, and the instructions of its second half are executed where the group has it.
// RUN: mxc-opt --mx-lower-kernels=target=sm_100a --canonicalize --cse %s | FileCheck %s --check-prefix=MEMORY
// RUN: mxc-opt --mx-lower-kernels=target=sm_120a --canonicalize --cse %s | FileCheck %s --check-prefix=WARPS
!codes = memref<?x?xf4E2M1FN>
!scales = memref<?x?xf8E4M3FN, #mx.scale_layout<tcgen05>>
// MEMORY-LABEL: llvm.func @gradient(
// MEMORY: mx.role "multiply"
// MEMORY: %[[PHASE:.*]] = arith.remui %{{.*}}, %c256_i32
// MEMORY: %[[MIDDLE:.*]] = arith.addi %{{.*}}, %c128_i32
// MEMORY: %[[HAS_SECOND:.*]] = arith.cmpi slt, %[[MIDDLE]], %k_end
// MEMORY: mx.block_mma {{.*}} k = 128 {{.*}} selectors = [0, 0] scale_tiles = 2{{$}}
// MEMORY: scf.if %[[HAS_SECOND]] {
// MEMORY-NEXT: mx.block_mma {{.*}} accumulate %true {{.*}} k = 128 {{.*}} selectors = [0, 0] scale_tiles = 2 first = 2
// WARPS-LABEL: llvm.func @gradient(
// WARPS: %[[MIDDLE:.*]] = arith.addi %{{.*}}, %c128_i32
// WARPS: %[[HAS_SECOND:.*]] = arith.cmpi slt, %[[MIDDLE]], %k_end
// WARPS: %[[HALF:.*]]:4 = mx.warp_mma {{.*}} selectors = [0, 0] scale_tiles = 2 :
// WARPS: scf.if %[[HAS_SECOND]] ->
// WARPS-NEXT: mx.warp_mma {{.*}} onto %[[HALF]]#0, {{.*}} selectors = [0, 0] scale_tiles = 2 first = 2
// WARPS: else
// WARPS-NEXT: scf.yield %[[HALF]]#0
mx.kernel @gradient(%a: !codes, %sa: !scales, %b: !codes, %sb: !scales, %ends: memref<?xi32>, %c: memref<?x?x?xf32>) {
  mx.grouped_matmul ins(%a, %sa, %b, %sb : !codes, !scales, !codes, !scales) groups(%ends : memref<?xi32>)
                    outs(%c : memref<?x?x?xf32>) ragged = k tiles = [#mx.matmul_tile<n = 128, stages = 2, buffers = 1>]
}
