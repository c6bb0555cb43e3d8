// A quantizer's ABI and a call that fits it, for tests to bend.
#pragma once

#include "runtime/launch/ArgumentShapes.h"

/// x: bf16 [M, K], row stride given at launch; q: e4m3 [M, K], contiguous; s: ue8m0 scales of [M, ceildiv(K,
/// 32)], tcgen05 or dense. Two variants: "wide" where K % 32 == 0 and x is 16-byte aligned, else "plain".
inline mxc::KernelAbi exampleKernel(mxc::ArgumentLayout scales = mxc::ArgumentLayout::ScaleTcgen05) {
  using namespace mxc;
  using Kind = AbiParameter::Kind;
  KernelAbi kernel;
  kernel.name = "quantize";
  kernel.operation.name = "quantize";
  kernel.arguments = {
      {"x", "bf16", false, ArgumentLayout::RowMajor, {"M", "K"}, {AbiStride::free(), {}}, 2},
      {"q", "e4m3", true, ArgumentLayout::RowMajor, {"M", "K"}, {}, 1},
      {"s", "ue8m0", true, scales, {"M", "ceildiv(K, 32)"}, {}, 16},
  };
  kernel.work.bytesRead = "M * K * 2", kernel.work.bytesWritten = "M * K + M * ceildiv(K, 32)";
  kernel.arguments[1].role = ArgumentRole::Codes;
  kernel.arguments[2].role = ArgumentRole::Scales;
  kernel.arguments[2].of = "q";
  kernel.dimensions = {"M", "K"};
  AbiVariant wide;
  wide.entry = "quantize_wide";
  wide.when = "K % 32 == 0";
  wide.alignments = {{"x", 16}};
  wide.grid[0] = "ceildiv(K, 256)";
  wide.grid[1] = "M";
  wide.grid[2] = "1";
  wide.block[0] = 128;
  wide.sharedBytes = 1024;
  wide.parameters = {{Kind::Pointer, "x", {}}, {Kind::Stride, "x", {}},    {Kind::Pointer, "q", {}},
                     {Kind::Pointer, "s", {}}, {Kind::Dimension, "M", {}}, {Kind::Dimension, "K", {}}};
  AbiVariant plain = wide;
  plain.entry = "quantize_plain";
  plain.when = "";
  plain.alignments = {};
  kernel.variants = {wide, plain};
  return kernel;
}

/// A tensor map of x (or of q, of bytes).
inline mxc::TensorMapRecipe exampleMap(const char *argument, uint32_t boxColumns, uint32_t boxRows) {
  const bool isX = *argument == 'x';
  mxc::TensorMapRecipe map{argument};
  map.type = isX ? mxc::TensorMapType::BF16 : mxc::TensorMapType::U8;
  map.sizes = {"K", "M"};
  map.strides = {isX ? "ceildiv(2 * stride0, 16) * 16" : "stride0"};
  map.box = {boxColumns, boxRows};
  map.elementStrides = {1, 1};
  return map;
}

/// M x K; the addresses are far apart and aligned to 4096.
inline mxc::Arguments exampleArguments(int64_t m = 64, int64_t k = 256) {
  int64_t scaleBytes = (m + 127) / 128 * (((k + 31) / 32 + 3) / 4) * 512;
  return {{"x", {0x10000000, "bf16", {m, k}, {}}},
          {"q", {0x20000000, "e4m3", {m, k}, {}}},
          {"s", {0x30000000, "u8", {scaleBytes}, {}}}};
}
