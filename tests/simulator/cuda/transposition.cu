// REQUIRES: nvcc
// RUN: %run-cuda %s %t
// A transposition through tiles of 32 x 33 words, so that neither side's accesses share banks; sizes
// that are no multiple of 32.
#ifdef __CUDACC__

extern "C" __global__ void transpose(const float *in, float *out, int rows, int columns) {
  __shared__ float tile[32][33];
  int tiles = (columns + 31) / 32, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int row = int(blockIdx.x) / tiles * 32, column = int(blockIdx.x) % tiles * 32;
  for (int i = warp; i < 32; i += 8)
    if (row + i < rows && column + lane < columns) tile[i][lane] = in[(row + i) * columns + column + lane];
  __syncthreads();
  for (int i = warp; i < 32; i += 8)
    if (column + i < columns && row + lane < rows) out[(column + i) * rows + row + lane] = tile[lane][i];
}

#else
#include "Inputs/device.h"

int main(int argc, char **argv) {
  constexpr int kRows = 70, kColumns = 101;
  Device device(argc, argv);
  std::vector<float> in(kRows * kColumns), expected(in.size());
  for (int row = 0; row < kRows; ++row)
    for (int column = 0; column < kColumns; ++column)
      expected[column * kRows + row] = in[row * kColumns + column] = float(row * 1000 + column);
  Buffer<float> input(in), output(std::vector<float>(in.size(), -1));
  device.launch("transpose", {3 * 4, 256}, input.address(), output.address(), kRows, kColumns);
  return compare(output.read(), expected);
}
#endif
