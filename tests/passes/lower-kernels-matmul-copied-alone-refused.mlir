// b in flight: which tiles do not have it, and why. Defaults and candidates leave out what is refused.
// RUN: not mxc compile %s --target=sm_90a --tile='m = 256, n = 256, stages = 4, ctas = 2, a = copied_alone' -o %t.cubin 2>&1 | FileCheck %s --check-prefix=SHARE
// RUN: not mxc compile %s --target=sm_90a --tile='m = 256, n = 256, stages = 4, a = copied_alone' -o %t.cubin 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: not mxc compile %s --target=sm_90a --tile='m = 64, n = 128, stages = 4, a = copied_alone' -o %t.cubin 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not mxc compile %s --target=sm_90a --tile='m = 128, n = 128, stages = 4, slices = 2, a = copied_alone' -o %t.cubin 2>&1 | FileCheck %s --check-prefix=SLICES
// RUN: not mxc compile %s --target=sm_90a --tile='m = 128, n = 128, stages = 4, store = rows, a = copied_alone' -o %t.cubin 2>&1 | FileCheck %s --check-prefix=STORE
// RUN: not mxc compile %s --target=sm_120a --tile='m = 128, n = 128, stages = 2, a = copied_alone' -o %t.cubin 2>&1 | FileCheck %s --check-prefix=WARPS
// RUN: not mxc compile %s --target=sm_100a --tile='m = 128, n = 128, stages = 4, a = copied_alone' -o %t.cubin 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not mxc compile %s --target=sm_100a --tile='m = 128, n = 128, stages = 4, a = in_flight' -o %t.cubin 2>&1 | FileCheck %s --check-prefix=IN_FLIGHT
// RUN: not mxc compile %examples/matmul_blockwise.mlir --target=sm_90a --tile='m = 128, n = 128, stages = 4, a = copied_alone' -o %t.cubin 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not mxc compile %examples/matmul_mxfp4.mlir --target=sm_90a --tile='m = 128, n = 128, stages = 4, a = copied_alone' -o %t.cubin 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: not mxc compile %examples/grouped_matmul_quantized.mlir --target=sm_90a --tile='m = 128, n = 128, stages = 4, a = copied_alone' -o %t.cubin 2>&1 | FileCheck %s --check-prefix=QUANTIZED
// RUN: not mxc compile %examples/grouped_swiglu.mlir --target=sm_90a --tile='m = 128, n = 128, stages = 4, a = copied_alone' -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PARTS
// RUN: mxc compile %examples/grouped_swiglu.mlir --target=sm_90a --list-tiles | FileCheck %s --check-prefix=LIST
// SHARE: has a = copied_alone, which takes share = a with ctas = 2
// COLUMNS: has a = copied_alone, which takes n = 128 with ctas = 1, found 256
// ROWS: has a = copied_alone, which takes m = 128 and 256, found 64
// SLICES: has a = copied_alone, which takes one slice, found 2
// STORE: has a = copied_alone, which takes store = tensor
// WARPS: has a = copied_alone, sm_120a takes copied
// BLOCKS: has a = copied_alone, which is for operands that become bf16
// IN_FLIGHT: has a = in_flight, which is for operands that become bf16
// BITS: has a = copied_alone, which takes elements of 8 bits, found 4
// QUANTIZED: does not quantize results [M11]
// PARTS: has the rows of b on the tensor cores' M side [M12]
// LIST: launched where nobody chooses
// LIST-NOT: copied_alone
// LIST: refused:
// LIST: copied_alone
#scales = #mx.scale_layout<tcgen05>
mx.kernel @product(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #scales>, %b: memref<?x?xf8E4M3FN>, %sb: memref<?x?xf8E8M0FNU, #scales>,
                   %c: memref<?x?xbf16>) {
  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>)
            outs(%c : memref<?x?xbf16>)
}
