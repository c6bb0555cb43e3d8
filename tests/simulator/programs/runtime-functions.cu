// REQUIRES: nvcc
// RUN: %run-program %s %t | FileCheck %s
// Functions of the runtime that forward to the driver: mapped and managed memory, rectangles and boxes, variables, settings, callbacks.
#include <cstdio>
#include <cuda_profiler_api.h>

__managed__ int counter = 5;
__device__ int table[4];
__global__ void count(int *mapped) { *mapped = ++counter; }
__global__ void second(int *out) { *out = table[1]; }

static void callback(cudaStream_t, cudaError_t error, void *text) {
  std::printf("%s: %s\n", static_cast<char *>(text), cudaGetErrorString(error));
}

#define EXPECT(call) if (cudaError_t error = (call)) std::printf("%s: %s\n", #call, cudaGetErrorString(error))

int main() {
  cudaDeviceProp properties;
  EXPECT(cudaGetDeviceProperties(&properties, 0));
  // CHECK: mapped 1, managed 1 1, bus 1
  std::printf("mapped %d, managed %d %d, bus %d\n", properties.canMapHostMemory, properties.managedMemory,
              properties.concurrentManagedAccess, properties.pciBusID);
  EXPECT(cudaSetDeviceFlags(cudaDeviceScheduleYield));
  unsigned flags = 0;
  EXPECT(cudaGetDeviceFlags(&flags));
  int peer = 1;
  EXPECT(cudaDeviceCanAccessPeer(&peer, 0, 0));
  char bus[32];
  EXPECT(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
  // CHECK: flags 2, peer 0, 0000:01:00.0
  std::printf("flags %u, peer %d, %s\n", flags, peer, bus);

  int *host, *device;
  EXPECT(cudaHostAlloc(&host, 4, cudaHostAllocMapped));
  EXPECT(cudaHostGetDevicePointer(&device, host, 0));
  EXPECT(cudaHostGetFlags(&flags, host));
  counter += 10;
  EXPECT(cudaMemPrefetchAsync(&counter, 4, {cudaMemLocationTypeDevice, 0}, 0, nullptr));
  cudaProfilerStart();
  count<<<1, 1>>>(device);
  EXPECT(cudaStreamAddCallback(nullptr, callback, const_cast<char *>("callback"), 0));
  EXPECT(cudaDeviceSynchronize());
  cudaProfilerStop();
  // CHECK: callback: no error
  // CHECK: 16 16
  std::printf("%d %d\n", *host, counter);

  // A box of 2 x 3 x 2 bytes out of one of 4 x 4 x 3, into memory with a pitch.
  unsigned char from[3][4][4], to[2][3][2];
  for (int i = 0; i < 48; ++i)
    from[i / 16][i / 4 % 4][i % 4] = i;
  cudaPitchedPtr pitched;
  EXPECT(cudaMalloc3D(&pitched, {2, 3, 2}));
  cudaMemcpy3DParms box{};
  box.srcPtr = {from, 4, 4, 4}, box.srcPos = {1, 0, 1};
  box.dstPtr = pitched, box.extent = {2, 3, 2}, box.kind = cudaMemcpyHostToDevice;
  EXPECT(cudaMemcpy3D(&box));
  EXPECT(cudaMemset2D(pitched.ptr, pitched.pitch, 99, 1, 2));
  box.srcPtr = pitched, box.srcPos = {}, box.dstPtr = {to, 2, 2, 3}, box.kind = cudaMemcpyDeviceToHost;
  EXPECT(cudaMemcpy3D(&box));
  // CHECK: 99 18 99 22 25 26 | 33 34 37 38 41 42
  for (int i = 0; i < 12; ++i)
    std::printf("%d %s", (&to[0][0][0])[i], i == 5 ? "| " : i == 11 ? "\n" : "");
  unsigned char rows[3][2];
  EXPECT(cudaMemcpy2D(rows, 2, &from[2][1][1], 4, 2, 3, cudaMemcpyHostToHost));
  // CHECK: 37 38 41 42 45 46
  for (int i = 0; i < 6; ++i)
    std::printf("%d ", (&rows[0][0])[i]);
  // CHECK: invalid pitch argument
  std::printf("%s\n", cudaGetErrorString(cudaMemcpy2D(rows, 1, from, 4, 2, 3, cudaMemcpyHostToHost)));

  int numbers[4] = {1, 2, 3, 4};
  EXPECT(cudaMemcpyToSymbolAsync(table, numbers, sizeof numbers, 0, cudaMemcpyHostToDevice, nullptr));
  second<<<1, 1>>>(device);
  EXPECT(cudaDeviceSynchronize());
  const char *name;
  EXPECT(cudaFuncGetName(&name, second));
  // CHECK: _Z6secondPi: 2
  std::printf("%s: %d\n", name, *host);
  // CHECK: an array: operation not supported
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  std::printf("an array: %s\n", cudaGetErrorString(cudaMallocArray(&array, &format, 4, 4)));
  // CHECK: 801 0
  int last = cudaGetLastError();
  std::printf("%d %d\n", last, cudaGetLastError());
}
