// DeepGEMM's sm90_fp8_gemm_1d2d, a few of its tiles, as a library for tools/peers/measure. Its headers and CUTLASS's are fetched by whoever
// measures (deepseek-ai/DeepGEMM at 54e2261, NVIDIA/cutlass at 7107b05):
//
//   nvcc -O3 -std=c++20 --expt-relaxed-constexpr --expt-extended-lambda -gencode arch=compute_90a,code=sm_90a \
//     -I DeepGEMM/deep_gemm/include -I cutlass/include -Xcompiler -fPIC -shared -cudart static -o libdeepgemm.so tools/peers/deepgemm.cu
#include <deep_gemm/impls/sm90_fp8_gemm_1d2d.cuh>

#include <cuda.h>

using namespace deep_gemm;

namespace {

struct Matrix {
  CUtensorMapDataType type;
  int elementBytes;
  void *base;
  int columns, rows;
};

CUtensorMap mapOf(const Matrix &m, int boxColumns, int boxRows, int swizzleBytes) {
  static decltype(&::cuTensorMapEncodeTiled) encode = nullptr;
  if (!encode) {
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", reinterpret_cast<void **>(&encode), cudaEnableDefault, &found);
  }
  const cuuint64_t sizes[] = {cuuint64_t(m.columns), cuuint64_t(m.rows)}, strides[] = {cuuint64_t(m.columns) * m.elementBytes};
  const cuuint32_t box[] = {cuuint32_t(swizzleBytes ? swizzleBytes / m.elementBytes : boxColumns), cuuint32_t(boxRows)}, steps[] = {1, 1};
  CUtensorMap map;
  encode(&map, m.type, 2, m.base, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
         swizzleBytes == 128 ? CU_TENSOR_MAP_SWIZZLE_128B
                             : (swizzleBytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_NONE),
         CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

template <int M, int N, int Stages, bool OnA>
int launch(void *a, float *scalesA, void *b, float *scalesB, void *d, int m, int n, int k, cudaStream_t stream) {
  constexpr int swizzle = N * 2 % 128 == 0 ? 128 : 64, threads = 256, ctas = 2, multiprocessors = 132;
  const CUtensorMap mapA = mapOf({CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, a, k, m}, 128, M, 128),
                    mapB = mapOf({CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, b, k, n}, 128, N, 128),
                    mapD = mapOf({CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, d, n, m}, N, M, swizzle),
                    mapScales = mapOf({CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, scalesA, m, k / 128}, M, 1, 0);
  auto kernel =
      sm90_fp8_gemm_1d2d_impl<cute::UMMA::Major::K, 0, 0, 0, 1, M, N, 128, 128, 128, swizzle, Stages, 128, threads, ctas, OnA,
                              multiprocessors, GemmType::Normal, cutlass::bfloat16_t, epilogue::transform::EpilogueIdentity>;
  const int shared = (M * N * 2 + 1023) / 1024 * 1024 + 256 + (k / 128 * 4 * (128 % N == 0 ? 1 : 2) + 7) / 8 * 8 +
                     Stages * (M * 128 + N * 128 + (M * 4 + 127) / 128 * 128);
  if (shared > 232448) return 1;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {ctas, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = multiprocessors, config.blockDim = 128 + threads, config.dynamicSmemBytes = shared, config.stream = stream;
  config.attrs = &attribute, config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, scalesB, static_cast<int *>(nullptr), uint32_t(m), uint32_t(n), uint32_t(k), mapA, mapB,
                            mapD, mapScales);
}

} // namespace

/// d [m, n] = a [m, k] b [n, k]^T; scales of a [k / 128, m], of b [n / 128, k / 128]. 0, or an error; -1: no such tile.
extern "C" int deepgemm(int tile, void *a, float *scalesA, void *b, float *scalesB, void *d, int m, int n, int k, void *stream) {
  auto on = static_cast<cudaStream_t>(stream);
  switch (tile) {
  case 0:
    return launch<128, 128, 5, false>(a, scalesA, b, scalesB, d, m, n, k, on);
  case 1:
    return launch<256, 128, 3, false>(a, scalesA, b, scalesB, d, m, n, k, on);
  case 2:
    return launch<256, 128, 3, true>(a, scalesA, b, scalesB, d, m, n, k, on);
  case 3:
    return launch<128, 192, 4, true>(a, scalesA, b, scalesB, d, m, n, k, on);
  case 4:
    return launch<128, 192, 4, false>(a, scalesA, b, scalesB, d, m, n, k, on);
  }
  return -1;
}
