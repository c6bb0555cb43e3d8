// A module's ABI with every kind of member, for the tests of its record.
#pragma once

#include "compiler/abi/CompiledKernel.h"

namespace mxc::test {

inline TensorMapRecipe sampleMap() {
  return {"x",
          {},
          TensorMapType::BF16,
          {"K", "M"},
          {"2 * stride0"},
          {64, 32},
          {1, 1},
          TensorMapSwizzle::B128,
          TensorMapPromotion::B256,
          TensorMapFill::Zeros};
}

inline ModuleAbi sampleAbi(const std::string &target = "sm_90a") {
  KernelAbi kernel;
  kernel.name = "quantize";
  kernel.operation = {"quantize", {{"rounding", "ceil"}, {"special", "propagate"}}, true};
  kernel.work = {"M * K * 2", "M * K + M * ceildiv(K, 32)", "e4m3 x e5m2", "M * K"};
  kernel.dimensions = {"M", "K"};
  kernel.arguments = {
      {"x", "bf16", false, ArgumentLayout::RowMajor, {"M", "K"}, {AbiStride::free(), {}}, 16},
      {"q", "e4m3", true, ArgumentLayout::RowMajor, {"M", "K"}, {}, 16},
      {"s", "ue8m0", true, ArgumentLayout::ScaleTcgen05, {"M", "ceildiv(K, 32)"}, {}, 16},
  };
  kernel.arguments[1].role = ArgumentRole::Codes;
  kernel.arguments[2].role = ArgumentRole::Scales;
  kernel.arguments[2].of = "q";
  AbiVariant fast;
  fast.entry = "quantize_fast";
  fast.tile = "#mx.quantize_tile<rows = 64>";
  fast.when = "K % 128 == 0 && M > 64";
  fast.alignments = {{"x", 128}, {"q", 16}};
  fast.grid[0] = "min(ceildiv(M, 64), 65535)";
  fast.grid[1] = "K / 128";
  fast.grid[2] = "1";
  fast.block[0] = 256;
  fast.cluster[0] = 2;
  fast.sharedBytes = 98304;
  fast.sharedRegions = {{"inputs", 0, 81920, 5, 16384}, {"inputs barriers", 81920, 80, 5, 16}};
  fast.tensorColumns = 512;
  fast.tensorRegions = {{"accumulators", 24, 488, 2, 232}};
  fast.roles = {{"load", 7, 1}, {"store", 0, 4}};
  fast.parameters = {{AbiParameter::Kind::TensorMap, "x", sampleMap()},
                     {AbiParameter::Kind::Pointer, "q", {}},
                     {AbiParameter::Kind::Pointer, "s", {}},
                     {AbiParameter::Kind::Stride, "x", {}, 0},
                     {AbiParameter::Kind::Dimension, "M", {}}};
  AbiVariant general = fast;
  general.entry = "quantize_general";
  general.when = "";
  general.alignments = {};
  kernel.variants = {fast, general};
  return {"0.1.0", 1, target, {kernel}};
}

} // namespace mxc::test
