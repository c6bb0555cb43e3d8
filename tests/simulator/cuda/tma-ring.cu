// REQUIRES: nvcc
// RUN: %run-cuda %s %t
// Boxes of a matrix through a ring of three stages: one thread loads, four warps add, full and empty
// barriers between them.
#ifdef __CUDACC__
#include "Inputs/asynchronous.cuh"

constexpr int kStages = 3, kBoxRows = 16, kBoxColumns = 32;

/// Every thread of the first four warps adds its elements of all boxes in the CTA's 16 rows.
extern "C" __global__ void addBoxes(const __grid_constant__ TensorMap map, int boxes, int *out) {
  __shared__ alignas(128) int ring[kStages][kBoxRows * kBoxColumns];
  __shared__ Barrier full[kStages], empty[kStages];
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      initialize(full[stage], 1);
      initialize(empty[stage], 128);
    }
    fenceBarriers();
  }
  __syncthreads();
  if (threadIdx.x == 128) {
    for (int box = 0; box < boxes; ++box) {
      int stage = box % kStages;
      if (box >= kStages) wait(empty[stage], (box / kStages - 1) & 1);
      arriveExpecting(full[stage], sizeof ring[stage]);
      loadBox(ring[stage], &map, box * kBoxColumns, int(blockIdx.x) * kBoxRows, full[stage]);
    }
  } else if (threadIdx.x < 128) {
    int sum = 0;
    for (int box = 0; box < boxes; ++box) {
      int stage = box % kStages;
      wait(full[stage], box / kStages & 1);
      for (int i = threadIdx.x; i < kBoxRows * kBoxColumns; i += 128)
        sum += ring[stage][i];
      arrive(empty[stage]);
    }
    out[blockIdx.x * 128 + threadIdx.x] = sum;
  }
}

#else
#include "Inputs/device.h"

int main(int argc, char **argv) {
  constexpr int kRows = 32, kColumns = 8 * 32 - 5; // the last box hangs over the edge: zeros
  constexpr int kPitch = 8 * 32;
  Device device(argc, argv);
  std::vector<int> in(kRows * kPitch), expected(2 * 128);
  for (int row = 0; row < kRows; ++row)
    for (int column = 0; column < kPitch; ++column) {
      int value = in[row * kPitch + column] = row * 1000 + column;
      int inBox = row % 16 * 32 + column % 32;
      if (column < kColumns) expected[row / 16 * 128 + inBox % 128] += value;
    }
  Buffer<int> input(in), output(expected);
  Matrix matrix{input.address(),           CU_TENSOR_MAP_DATA_TYPE_INT32, kRows, kColumns, kPitch * 4, 16, 32,
                CU_TENSOR_MAP_SWIZZLE_NONE};
  device.launch("addBoxes", {2, 160}, matrix.map(), 8, output.address());
  return compare(output.read(), expected);
}
#endif
