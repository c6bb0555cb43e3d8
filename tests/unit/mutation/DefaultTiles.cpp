#include "tests/unit/mutation/DefaultTiles.h"

#include "compiler/Compiler.h"

#include <algorithm>
#include <fstream>

using namespace mxc;

/// The shape gives each CTA or pair more tiles than accumulators, and more steps of K than stages; what goes
/// through global memory has two clusters, and something that nobody reads: the last group is empty.
#define SWAP "swap_tile<columns = "
static const DefaultTile kProducts[] = {
    {"sm_90a",
     "matmul",
     "matmul_tile<m = 128, n = 256, stages = 4, buffers = 2>",
     {256, 512, 640},
     {256, 256, 64}},
    {"sm_90a",
     "matmul",
     "matmul_tile<m = 256, n = 256, stages = 5, ctas = 2, buffers = 2, a = in_flight>",
     {512, 256, 768},
     {512, 256, 256, {}, {}, 4}},
    {"sm_90a",
     "matmul",
     "matmul_tile<m = 128, n = 128, stages = 6, store = rows>",
     {256, 256, 896},
     {256, 128, 64}},
    {"sm_90a",
     "matmul",
     "matmul_tile<m = 128, n = 128, stages = 4, buffers = 1, load = element, store = rows>",
     {256, 256, 640},
     {256, 128, 64}},
    {"sm_90a",
     "matmul",
     SWAP "64, tokens = 16, splits = 8, parts = 2, stages = 4, token_stages = 2, code_stages = 3, "
          "ctas_per_sm = 2>",
     {16, 64, 10240}},
    {"sm_90a",
     "matmul",
     SWAP "128, tokens = 16, splits = 1, parts = 2, stages = 2, token_stages = 3, code_stages = 3>",
     {16, 256, 1280}},
    {"sm_90a",
     "matmul",
     SWAP "128, tokens = 64, splits = 2, parts = 1, stages = 4, token_stages = 3, code_stages = 2>",
     {64, 256, 1280}},
    {"sm_90a",
     "matmul",
     SWAP "128, tokens = 96, splits = 6, parts = 1, stages = 4, token_stages = 3, code_stages = 2>",
     {96, 128, 3840}},
    {"sm_90a",
     "matmul",
     SWAP "64, tokens = 96, splits = 2, parts = 2, stages = 4, token_stages = 2, code_stages = 0>",
     {96, 128, 5120},
     {96, 256, 64}},
    {"sm_90a",
     "matmul",
     SWAP "128, tokens = 96, splits = 2, parts = 1, stages = 4, token_stages = 3, code_stages = 0>",
     {96, 256, 2560},
     {96, 512, 64}},
    {"sm_90a",
     "matmul",
     SWAP "128, tokens = 192, splits = 2, parts = 1, stages = 3, token_stages = 3, code_stages = 0>",
     {192, 256, 2048},
     {192, 512, 64}},
    {"sm_90a",
     "matmul",
     SWAP "128, tokens = 192, splits = 1, parts = 1, stages = 3, token_stages = 3, code_stages = 0>",
     {192, 256, 1280},
     {192, 512, 64}},
    {"sm_90a",
     "grouped_matmul",
     SWAP "128, tokens = 64, splits = 1, parts = 1, stages = 4, token_stages = 3, code_stages = 2>",
     {256, 128, 768, {40, 40, 200}}},
    {"sm_90a",
     "grouped_matmul",
     "matmul_tile<m = 128, n = 256, stages = 5, buffers = 2, a = in_flight>",
     {512, 256, 640, {100, 100, 500, 500}},
     {256, 256, 64, {100, 200, 200}},
     {256, 256, 256, {100, 200, 200}}},
    {"sm_90a",
     "grouped_wgrad",
     "matmul_tile<m = 128, n = 256, stages = 5, buffers = 2, a = in_flight>",
     {256, 256, 1024, {}, {300, 300, 850}},
     {128, 256, 256, {}, {100, 200}}},
    {"sm_100a",
     "matmul",
     "matmul_tile<m = 256, n = 256, stages = 6, ctas = 2, buffers = 1>",
     {512, 512, 896}},
    {"sm_100a",
     "matmul",
     "matmul_tile<m = 256, n = 192, stages = 7, ctas = 2, buffers = 1>",
     {768, 192, 1024}},
    {"sm_100a",
     "matmul",
     "matmul_tile<m = 256, n = 128, stages = 8, ctas = 2, buffers = 1>",
     {768, 128, 1152}},
    {"sm_100a",
     "matmul",
     "matmul_tile<m = 256, n = 128, stages = 8, ctas = 2, buffers = 1, slices = 4>",
     {768, 128, 4608, {}, {}, 4}},
    {"sm_100a",
     "matmul",
     "matmul_tile<m = 256, n = 64, stages = 10, ctas = 2, buffers = 1>",
     {768, 64, 1408}},
    {"sm_100a", "matmul", "matmul_tile<m = 128, n = 128, stages = 6, store = rows>", {768, 128, 896}},
    {"sm_100a",
     "matmul",
     "matmul_tile<m = 128, n = 128, stages = 4, buffers = 1, load = element, store = rows>",
     {768, 128, 640}},
    {"sm_100a",
     "grouped_matmul",
     "matmul_tile<m = 256, n = 128, stages = 8, ctas = 2, buffers = 1>",
     {1024, 128, 1152, {300, 300, 900}}},
    {"sm_100a",
     "grouped_wgrad",
     "matmul_tile<m = 256, n = 128, stages = 8, ctas = 2, buffers = 1>",
     {256, 128, 2560, {}, {1250, 1250, 1400, 2500}}},
    // Blockwise: stages lie in shared memory whole, and no row goes through global memory.
    {"sm_90a",
     "matmul_blockwise",
     "matmul_tile<m = 64, n = 64, stages = 12, buffers = 1>",
     {128, 128, 1664},
     {128, 128, 128}},
    {"sm_90a",
     "matmul_blockwise",
     "matmul_tile<m = 192, n = 256, stages = 4, ctas = 2, share = a>",
     {384, 512, 640},
     {384, 512, 128}},
    {"sm_90a",
     "matmul_blockwise",
     "matmul_tile<m = 256, n = 128, stages = 3>",
     {512, 256, 512},
     {512, 256, 128}},
    {"sm_90a",
     "matmul_blockwise",
     "matmul_tile<m = 128, n = 128, stages = 5>",
     {256, 256, 768},
     {256, 256, 128}},
    {"sm_90a",
     "matmul_blockwise",
     "matmul_tile<m = 128, n = 64, stages = 6, buffers = 1>",
     {256, 128, 896},
     {256, 128, 128}},
    {"sm_90a",
     "matmul_blockwise",
     "matmul_tile<m = 128, n = 64, stages = 6, store = rows>",
     {256, 128, 896},
     {256, 128, 128}},
    {"sm_90a",
     "matmul_blockwise",
     "matmul_tile<m = 128, n = 128, stages = 4, buffers = 1, load = element, store = rows>",
     {256, 256, 640},
     {256, 256, 128}},
    {"sm_90a",
     "matmul_nvfp4",
     "matmul_tile<m = 256, n = 256, stages = 4, ctas = 2>",
     {512, 256, 1280},
     {512, 256, 256, {}, {}, 4}},
    {"sm_90a",
     "grouped_matmul_quantized",
     "matmul_tile<m = 256, n = 256, stages = 5, ctas = 2, a = in_flight>",
     {512, 256, 768, {100, 100, 500, 500}},
     {512, 256, 256, {100, 300}, {}, 4}},
    {"sm_90a",
     "grouped_matmul_quantized",
     "matmul_tile<m = 128, n = 128, stages = 4, buffers = 1, load = element, store = rows>",
     {256, 256, 640, {100, 200}},
     {256, 256, 128, {100, 200}}},
    {"sm_100a",
     "grouped_matmul_quantized",
     "matmul_tile<m = 256, n = 256, stages = 5, ctas = 2, buffers = 1>",
     {512, 512, 768, {200, 200, 500}}},
    {"sm_100a",
     "grouped_matmul_quantized",
     "matmul_tile<m = 256, n = 192, stages = 6, ctas = 2, buffers = 1>",
     {768, 192, 896, {300, 300, 700}}},
    {"sm_100a",
     "grouped_matmul_quantized",
     "matmul_tile<m = 128, n = 128, stages = 4, buffers = 1, load = element, store = rows>",
     {768, 128, 640, {300, 300, 700}}},
    {"sm_100a",
     "matmul_nvfp4",
     "matmul_tile<m = 256, n = 256, stages = 4, ctas = 2, buffers = 1>",
     {512, 512, 1280}},
    {"sm_100a",
     "matmul_nvfp4",
     "matmul_tile<m = 128, n = 128, stages = 4, buffers = 1, load = element, store = rows>",
     {768, 128, 1280}},
    {"sm_100a",
     "matmul_mxfp4",
     "matmul_tile<m = 256, n = 128, stages = 8, ctas = 2, buffers = 1, slices = 4>",
     {768, 128, 9216, {}, {}, 4}},
    {"sm_120a",
     "matmul",
     "matmul_tile<m = 128, n = 128, stages = 2, buffers = 1>",
     {256, 256, 384},
     {256, 256, 128}},
    {"sm_120a",
     "matmul",
     "matmul_tile<m = 128, n = 64, stages = 3, buffers = 1, store = rows>",
     {256, 128, 512},
     {256, 128, 128}},
    {"sm_120a",
     "matmul",
     "matmul_tile<m = 128, n = 64, stages = 2, buffers = 1, load = element, store = rows>",
     {256, 128, 384},
     {256, 128, 128}},
    {"sm_120a",
     "matmul_nvfp4",
     "matmul_tile<m = 128, n = 128, stages = 2, buffers = 1>",
     {256, 256, 768},
     {256, 256, 256}},
    {"sm_120a",
     "grouped_matmul",
     "matmul_tile<m = 128, n = 128, stages = 2, buffers = 1>",
     {256, 256, 384, {100, 200}}},
    {"sm_120a",
     "grouped_wgrad",
     "matmul_tile<m = 128, n = 128, stages = 2, buffers = 1>",
     {256, 256, 768, {}, {300, 300, 700}}},
    {"sm_120a",
     "grouped_matmul_quantized",
     "matmul_tile<m = 128, n = 128, stages = 2, buffers = 1>",
     {256, 256, 384, {100, 200}},
     {256, 256, 128, {100, 200}}},
    {"sm_120a",
     "grouped_matmul_quantized",
     "matmul_tile<m = 128, n = 64, stages = 3, buffers = 1, store = rows>",
     {256, 128, 512, {100, 200}},
     {256, 128, 128, {100, 200}}},
    {"sm_120a",
     "grouped_matmul_quantized",
     "matmul_tile<m = 128, n = 64, stages = 2, buffers = 1, load = element, store = rows>",
     {256, 128, 384, {100, 200}},
     {256, 128, 128, {100, 200}}},
};
#undef SWAP

/// Quantizers and what has no products: all default tiles of each have one shape, of several CTAs.
static const char *const kWithoutProducts[] = {
    "quantize",       "quantize_column", "quantize_both", "quantize_groups", "quantize_blockwise",
    "quantize_nvfp4", "swiglu_quantize", "dequantize",    "pack_scales",     "unpack_scales"};
static const ProductShape kWithoutProduct = {272, 0, 320, {40, 200}};

static std::string sourceOf(const std::string &example) {
  std::ifstream file(MXC_EXAMPLES "/" + example + ".mlir");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string compiled(const std::string &example, const std::string &target, Stage stage,
                     const std::string &tile) {
  CompileOptions options;
  options.targets = {target}, options.stage = stage, options.tile = tile;
  return compile(sourceOf(example), example, options).output;
}

std::string ptxOf(const DefaultTile &tile) {
  return compiled(tile.example, tile.target, Stage::Ptx, tile.tile.empty() ? "" : "#mx." + tile.tile);
}

/// "#mx.column_tile<load = bulk, when = "M * K > 7">": "column_tile<load = bulk>". Packing has no tiles.
static std::string withoutCondition(const std::string &tile) {
  if (tile.empty()) return "";
  const size_t begin = std::string("#mx.").size(), end = std::min(tile.find(", when"), tile.size() - 1);
  return tile.substr(begin, end - begin) + ">";
}

std::vector<DefaultTile> defaultTiles() {
  std::vector<DefaultTile> tiles(std::begin(kProducts), std::end(kProducts));
  for (const char *target : {"sm_90a", "sm_100a", "sm_120a"})
    for (const char *example : kWithoutProducts) {
      CompileOptions options;
      options.targets = {target};
      const ModuleAbi module = compileAbi(sourceOf(example), example, options).abis[0];
      for (const AbiVariant &variant : module.kernels[0].variants)
        tiles.push_back({target, example, withoutCondition(variant.tile), kWithoutProduct});
    }
  return tiles;
}
