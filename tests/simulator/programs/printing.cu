// REQUIRES: nvcc
// RUN: %run-program %s %t 2> %t.errors | FileCheck %s
// RUN: FileCheck --check-prefix=ERROR %s < %t.errors
// printf appears in its order when the host waits; an assertion names its place and ends the context.
#include <cassert>
#include <cstdio>

__global__ void greet(int x, const char *) {
  printf("thread %d: %s %5.2f %lld %c%%\n", int(threadIdx.x), x > 1 ? "two" : "one", x * 0.75, 1ll << 40, 'a' + x);
}
__global__ void quiet(int *result) { *result = printf("no argument\n") + 10 * printf("%d %d\n", 1, 2); }
__global__ void stop(int limit) { assert(int(threadIdx.x) < limit); }

int main() {
  setvbuf(stdout, nullptr, _IOFBF, 1 << 16);
  greet<<<1, 2>>>(1, "");
  std::printf("before the host waits\n");
  cudaDeviceSynchronize();
  greet<<<2, 1>>>(2, "");
  // CHECK: before the host waits
  // CHECK-NEXT: thread 0: one 0.75 1099511627776 b%
  // CHECK-NEXT: thread 1: one 0.75 1099511627776 b%
  // CHECK-NEXT: thread 0: two 1.50 1099511627776 c%
  // CHECK-NEXT: thread 0: two 1.50 1099511627776 c%
  int *result, host;
  cudaMalloc(&result, 4);
  quiet<<<1, 1>>>(result);
  cudaMemcpy(&host, result, 4, cudaMemcpyDeviceToHost);
  std::printf("%d arguments\n", host);
  // CHECK-NEXT: no argument
  // CHECK-NEXT: 1 2
  // CHECK-NEXT: 20 arguments
  stop<<<1, 32>>>(32);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  // CHECK-NEXT: no error
  stop<<<1, 32>>>(5);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  std::printf("%s\n", cudaGetErrorName(cudaMalloc(&result, 4)));
  // CHECK-NEXT: device-side assert triggered
  // CHECK-NEXT: cudaErrorAssert
  // ERROR: printing.cu:[[#]]: void stop(int): block: [0,0,0], thread: [5,0,0] Assertion `int(threadIdx.x) < limit` failed.
}
