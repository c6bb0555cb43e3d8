// REQUIRES: nvcc, cccl
// RUN: %run-program %s %t | FileCheck %s
// nvcuda::wmma: a product through shared memory, fragments scaled element by element, stored by rows and by columns.
#include <cstdio>
#include <mma.h>
using namespace nvcuda;

constexpr int kM = 64, kN = 48, kK = 80;

__global__ void multiply(const __half *a, const __half *b, float *c, __half *transposed) {
  __shared__ __half tileA[16][24], tileB[16][24];
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> y;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fragment<wmma::accumulator, 16, 16, 16, __half> half;
  wmma::fill_fragment(sum, 0.0f);
  const int row = blockIdx.x * 16, column = blockIdx.y * 16;
  for (int k = 0; k < kK; k += 16) {
    for (int i = threadIdx.x; i < 256; i += 32) {
      tileA[i / 16][i % 16] = a[(row + i / 16) * kK + k + i % 16];
      tileB[i / 16][i % 16] = b[(column + i / 16) * kK + k + i % 16];
    }
    __syncwarp();
    wmma::load_matrix_sync(x, &tileA[0][0], 24);
    wmma::load_matrix_sync(y, &tileB[0][0], 24);
    for (int i = 0; i < x.num_elements; ++i)
      x.x[i] = x.x[i] * __float2half(2.0f);
    wmma::mma_sync(sum, x, y, sum);
    __syncwarp();
  }
  for (int i = 0; i < sum.num_elements; ++i)
    half.x[i] = __float2half(sum.x[i]);
  wmma::store_matrix_sync(c + row * kN + column, sum, kN, wmma::mem_row_major);
  wmma::store_matrix_sync(transposed + column * kM + row, half, kM, wmma::mem_col_major);
}

int main() {
  static __half a[kM * kK], b[kN * kK], t[kM * kN];
  static float c[kM * kN];
  for (int i = 0; i < kM * kK; ++i)
    a[i] = __float2half(float(i * 7 % 5 - 2));
  for (int i = 0; i < kN * kK; ++i)
    b[i] = __float2half(float(i * 3 % 7 - 3));
  __half *da, *db, *dt;
  float *dc;
  cudaMalloc(&da, sizeof a), cudaMalloc(&db, sizeof b), cudaMalloc(&dc, sizeof c), cudaMalloc(&dt, sizeof t);
  cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
  multiply<<<dim3(kM / 16, kN / 16), 32>>>(da, db, dc, dt);
  cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost);
  cudaMemcpy(t, dt, sizeof t, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int m = 0; m < kM; ++m)
    for (int n = 0; n < kN; ++n) {
      float expected = 0;
      for (int k = 0; k < kK; ++k)
        expected += 2 * __half2float(a[m * kK + k]) * __half2float(b[n * kK + k]);
      wrong += c[m * kN + n] != expected || __half2float(t[n * kM + m]) != expected;
    }
  // CHECK: no error, 0 wrong
  std::printf("%s, %d wrong\n", cudaGetErrorString(cudaGetLastError()), wrong);
}
