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

struct Problem { // layout: of groups, each row's; else null
  void *a;
  float *scalesA;
  void *b;
  float *scalesB;
  void *d;
  int *layout;
  int m, n, k, groups;
  cudaStream_t stream;
};

template <GemmType Type, int M, int N, int Stages, bool OnA> int launch(const Problem &p) {
  const int m = p.m, n = p.n, k = p.k;
  constexpr int swizzle = N * 2 % 128 == 0 ? 128 : 64, threads = 256, ctas = 2, multiprocessors = 132;
  const CUtensorMap mapA = mapOf({CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, p.a, k, m}, 128, M, 128),
                    mapB = mapOf({CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, p.b, k, n * p.groups}, 128, N, 128),
                    mapD = mapOf({CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, p.d, n, m}, N, M, swizzle),
                    mapScales = mapOf({CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, p.scalesA, m, k / 128}, M, 1, 0);
  auto kernel =
      sm90_fp8_gemm_1d2d_impl<cute::UMMA::Major::K, 0, 0, 0, 1, M, N, 128, 128, 128, swizzle, Stages, 128, threads, ctas, OnA,
                              multiprocessors, Type, cutlass::bfloat16_t, epilogue::transform::EpilogueIdentity>;
  const int shared = (M * N * 2 + 1023) / 1024 * 1024 + 256 + (k / 128 * 4 * (128 % N == 0 ? 1 : 2) + 7) / 8 * 8 +
                     Stages * (M * 128 + N * 128 + (M * 4 + 127) / 128 * 128);
  if (shared > 232448) return 1;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {ctas, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = multiprocessors, config.blockDim = 128 + threads, config.dynamicSmemBytes = shared, config.stream = p.stream;
  config.attrs = &attribute, config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, p.scalesB, p.layout, uint32_t(m), uint32_t(n), uint32_t(k), mapA, mapB,
                            mapD, mapScales);
}

template <GemmType Type> int launchTile(int tile, const Problem &problem) {
  switch (tile) {
  case 0:
    return launch<Type, 128, 128, 5, false>(problem);
  case 1:
    return launch<Type, 128, 192, 4, true>(problem);
  case 2:
    return launch<Type, 128, 192, 4, false>(problem);
  case 3:
    return launch<Type, 128, 128, 5, true>(problem);
  }
  if constexpr (Type == GemmType::Normal) { // groups begin at multiples of 128 rows
    if (tile == 4) return launch<Type, 256, 128, 3, false>(problem);
    if (tile == 5) return launch<Type, 256, 128, 3, true>(problem);
  }
  return -1;
}

} // namespace

/// d [m, n] = a [m, k] b [n, k]^T; scales of a [k / 128, m], of b [n / 128, k / 128]. 0, or an error; -1: no such tile.
extern "C" int deepgemm(int tile, void *a, float *scalesA, void *b, float *scalesB, void *d, int m, int n, int k, void *stream) {
  return launchTile<GemmType::Normal>(tile, {a, scalesA, b, scalesB, d, nullptr, m, n, k, 1, static_cast<cudaStream_t>(stream)});
}

/// The same for rows in groups, which begin at multiples of 128: b [groups, n, k] and its scales; layout [m] has each row's group.
extern "C" int deepgemmGrouped(int tile, void *a, float *scalesA, void *b, float *scalesB, void *d, int *layout, int m, int n, int k,
                               int groups, void *stream) {
  const Problem problem = {a, scalesA, b, scalesB, d, layout, m, n, k, groups, static_cast<cudaStream_t>(stream)};
  return launchTile<GemmType::MGroupedContiguous>(tile, problem);
}
