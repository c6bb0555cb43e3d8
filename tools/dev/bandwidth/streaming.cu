// The yardstick: kernels that move a quantizer's bytes and compute next to nothing, in the shapes that run
// fastest on Hopper (docs/performance.md). Name: r<bytes read per element>w<bytes written>_<shape>. Every
// lane takes pieces of 8 elements. Launched with or without programmatic dependent launch: without it the two
// griddepcontrol instructions do nothing.
#include <cstdint>

namespace {

__device__ void startAfterPredecessor() {
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

// What is stored for 8 elements depends on every byte read, so that no load can be dropped.
__device__ uint4 combine(uint4 a) { return a; }
__device__ uint4 combine(uint2 a) { return make_uint4(a.x, a.x >> 16, a.y, a.y >> 16); }
__device__ uint4 combine(uint4 a, uint4 b) { return make_uint4(a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.w ^ b.w); }

__device__ void store(uint4 *out, uint4 v) { *out = v; }
__device__ void store(uint2 *out, uint4 v) { // upper bytes, the lower ones folded in
  *out = make_uint2(__byte_perm(v.x ^ v.x << 8, v.y ^ v.y << 8, 0x7531),
                    __byte_perm(v.z ^ v.z << 8, v.w ^ v.w << 8, 0x7531));
}

// A CTA takes Loads * blockDim consecutive pieces.
template <int Loads, typename Out, typename... In>
__device__ void flat(Out *out, uint32_t pieces, const In *...in) {
  startAfterPredecessor();
  uint32_t first = blockIdx.x * Loads * blockDim.x + threadIdx.x;
  uint4 v[Loads];
  if ((blockIdx.x + 1) * Loads * blockDim.x <= pieces) {
#pragma unroll
    for (int i = 0; i < Loads; ++i)
      v[i] = combine(in[first + i * blockDim.x]...);
#pragma unroll
    for (int i = 0; i < Loads; ++i)
      store(out + first + i * blockDim.x, v[i]);
    return;
  }
  for (uint32_t piece = first; piece < min(pieces, (blockIdx.x + 1) * Loads * blockDim.x);
       piece += blockDim.x)
    store(out + piece, combine(in[piece]...));
}

// A warp takes rows r, r+32, r+64, r+96 of a block of 128 rows, 32 pieces (256 elements) of each; the warps
// of a CTA take consecutive r. blockIdx.x counts along the row, blockIdx.y groups of 8 values of r.
template <typename Out, typename... In>
__device__ void quad(Out *out, uint32_t rows, uint32_t rowPieces, const In *...in) {
  startAfterPredecessor();
  uint32_t piece = blockIdx.x * 32 + threadIdx.x % 32;
  uint32_t row = blockIdx.y / 4 * 128 + blockIdx.y % 4 * 8 + threadIdx.x / 32;
  if (piece >= rowPieces) return;
  uint64_t at = uint64_t(row) * rowPieces + piece, step = uint64_t(32) * rowPieces;
  uint4 v[4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (row + 32 * i < rows) v[i] = combine(in[at + i * step]...);
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (row + 32 * i < rows) store(out + at + i * step, v[i]);
}

} // namespace

// All take the same parameters: out, pieces (or rows), pieces in a row, and two inputs, the second one
// perhaps unused.
#define KERNEL(name, In, Out)                                                                                \
  extern "C" __global__ void __launch_bounds__(256)                                                          \
      name(Out *out, uint32_t n, uint32_t rowPieces, const In *a, const In *b)
#define SHAPES(traffic, In, Out, ...)                                                                        \
  KERNEL(traffic##_flat4, In, Out) { flat<4>(out, n, __VA_ARGS__); }                                         \
  KERNEL(traffic##_flat2, In, Out) { flat<2>(out, n, __VA_ARGS__); }                                         \
  KERNEL(traffic##_flat1, In, Out) { flat<1>(out, n, __VA_ARGS__); }                                         \
  KERNEL(traffic##_quad, In, Out) { quad(out, n, rowPieces, __VA_ARGS__); }

SHAPES(r2w1, uint4, uint2, a)    // quantize
SHAPES(r4w1, uint4, uint2, a, b) // quantize with a prologue of two inputs (SwiGLU)
SHAPES(r2w2, uint4, uint4, a)    // quantize along rows and columns: a copy's traffic
SHAPES(r1w2, uint2, uint4, a)    // dequantize

// Heavy-tailed input: in each block of 32 elements, normal times 2^U(-12..12). One thread writes one element.
__device__ uint64_t hash(uint64_t x) { // splitmix64
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ x >> 27) * 0x94D049BB133111EBull;
  return x ^ x >> 31;
}

__device__ float heavyTailed(uint64_t i, uint64_t seed) {
  uint64_t bits = hash(seed ^ i);
  float u = (uint32_t(bits) + 0.5f) * 0x1p-32f, v = uint32_t(bits >> 32) * 0x1p-32f;
  float exponent = 24.0f * (uint32_t(hash(~seed ^ i / 32)) * 0x1p-32f) - 12.0f;
  return sqrtf(-2.0f * __logf(u)) * __cosf(6.2831853f * v) * exp2f(exponent);
}

__device__ uint64_t elementIndex() { return uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; }

extern "C" __global__ void fill_bf16(uint16_t *out, uint64_t n, uint64_t seed) {
  if (uint64_t i = elementIndex(); i < n)
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(out[i]) : "f"(heavyTailed(i, seed)));
}
extern "C" __global__ void fill_f16(uint16_t *out, uint64_t n, uint64_t seed) {
  if (uint64_t i = elementIndex(); i < n)
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(out[i]) : "f"(heavyTailed(i, seed)));
}
extern "C" __global__ void fill_f32(float *out, uint64_t n, uint64_t seed) {
  if (uint64_t i = elementIndex(); i < n) out[i] = heavyTailed(i, seed);
}
extern "C" __global__ void fill_ue8m0(uint8_t *out, uint64_t n, uint64_t seed) { // 2^-12 .. 2^11
  if (uint64_t i = elementIndex(); i < n) out[i] = 115 + hash(seed ^ i) % 24;
}
extern "C" __global__ void fill_bytes(uint8_t *out, uint64_t n, uint64_t seed) {
  if (uint64_t i = elementIndex(); i < n) out[i] = hash(seed ^ i);
}

extern "C" __global__ void count_differences(const uint8_t *a, const uint8_t *b, uint64_t n,
                                             unsigned long long *count) {
  if (uint64_t i = elementIndex(); i < n && a[i] != b[i]) atomicAdd(count, 1ull);
}

// Matrix work that brings clocks and power to their working level: about 1 ms a launch.
extern "C" __global__ void __launch_bounds__(256) warm(float *out, uint32_t iterations) {
  uint32_t a = 0x3F803F80 + threadIdx.x, b = 0x3F813F80 + blockIdx.x;
  float c[4][4] = {};
  for (uint32_t i = 0; i < iterations; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%4,%5}, "
                   "{%5,%4}, {%0,%1,%2,%3};"
                   : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
                   : "r"(a), "r"(b + j));
  float sum = 0;
  for (auto &row : c)
    for (float value : row)
      sum += value;
  if (sum == 0.25f) // never
    *out = sum;
}
