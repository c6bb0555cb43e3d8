// The ABI of a batched MXFP8 matrix product, as a compiler would write it: y = alpha * a x b. What version 3
// of the ABI can say, in one kernel; and a call that fits it.
#pragma once

#include "compiler/abi/CompiledKernel.h"

namespace mxc::test {

/// a: e4m3 [B, M, K], contiguous; b: e4m3 [B, N, K], row and batch strides given at launch; sa, sb: their
/// scales as tcgen05 tiles; alpha: f32 by value; bias: f32 [N]; y: bf16 [B, M, N]. Tiles of 128x256x128,
/// pairs of CTAs, persistent: as many clusters as there is work, or room on the device.
inline KernelAbi matmulAbi() {
  using Kind = AbiParameter::Kind;
  KernelAbi kernel;
  kernel.name = "matmul";
  kernel.operation = {"matmul", {}, false};
  kernel.work.kind = "e4m3 x e4m3", kernel.work.multiplyAdds = "B * M * N * K";
  kernel.dimensions = {"B", "M", "N", "K"};

  AbiArgument a{"a", "e4m3", false, ArgumentLayout::RowMajor, {"B", "M", "K"}, {}, 16};
  AbiArgument b{"b", "e4m3", false, ArgumentLayout::RowMajor, {"B", "N", "K"}, {}, 16};
  b.strides = {AbiStride::free(), AbiStride::free(), {}};
  AbiArgument sa{"sa", "ue8m0", false, ArgumentLayout::ScaleTcgen05, {"B", "M", "ceildiv(K, 32)"}, {}, 16};
  AbiArgument sb{"sb", "ue8m0", false, ArgumentLayout::ScaleTcgen05, {"B", "N", "ceildiv(K, 32)"}, {}, 16};
  sa.role = sb.role = ArgumentRole::Scales;
  sa.of = "a", sb.of = "b";
  a.role = ArgumentRole::Left, b.role = ArgumentRole::Right;
  AbiArgument alpha{"alpha", "f32"};
  alpha.kind = ArgumentKind::Scalar;
  AbiArgument bias{"bias", "f32", false, ArgumentLayout::RowMajor, {"N"}, {}, 4};
  AbiArgument y{"y", "bf16", true, ArgumentLayout::RowMajor, {"B", "M", "N"}, {}, 16};
  AbiArgument counters{"counters", "u8"};
  counters.kind = ArgumentKind::Workspace;
  counters.bytes = "4 * SMs";
  counters.zeroing = WorkspaceZeroing::EachLaunch;
  counters.alignment = 16;
  kernel.arguments = {a, b, sa, sb, alpha, bias, y, counters};

  // 128 elements of K are 128 bytes: one span of the swizzle. Strides in bytes; stride0 and stride1 are b's
  // own.
  const std::vector<uint32_t> ones(3, 1);
  TensorMapRecipe loadA{"a",           {},   TensorMapType::U8,     {"K", "M", "B"}, {"stride1", "stride0"},
                        {128, 128, 1}, ones, TensorMapSwizzle::B128};
  TensorMapRecipe loadB = loadA;
  loadB.argument = "b";
  loadB.sizes[1] = "N";
  // Tiles of 128 rows x 4 blocks, 512 bytes each, of all batches as rows of 16-byte words.
  TensorMapRecipe loadScales{"sa",
                             {},
                             TensorMapType::U16,
                             {"256 * ceildiv(K, 128)", "B * ceildiv(M, 128)"},
                             {"512 * ceildiv(K, 128)"},
                             {256, 1},
                             {1, 1}};
  TensorMapRecipe loadScalesB = loadScales;
  loadScalesB.argument = "sb";
  loadScalesB.sizes[1] = "B * ceildiv(N, 128)", loadScalesB.box[1] = 2;
  TensorMapRecipe store{"y",
                        {},
                        TensorMapType::BF16,
                        {"64", "ceildiv(N, 64)", "M", "B"},
                        {"128", "stride1 * 2", "stride0 * 2"},
                        {64, 1, 128, 1},
                        {1, 1, 1, 1},
                        TensorMapSwizzle::B128,
                        TensorMapPromotion::None};

  AbiVariant fast;
  fast.entry = "matmul";
  fast.tile = "m = 128, n = 256, k = 128, ctas = 2";
  fast.when = "N % 64 == 0 && SMs >= 2";
  fast.alignments = {{"a", 16}, {"b", 16}, {"y", 16}};
  fast.grid[0] = "2 * min(B * ceildiv(M, 256) * ceildiv(N, 256), SMs / 2)";
  fast.block[0] = 192;
  fast.cluster[0] = 2;
  fast.sharedBytes = 200 << 10;
  fast.parameters = {{Kind::TensorMap, "a", loadA},       {Kind::TensorMap, "b", loadB},
                     {Kind::TensorMap, "sa", loadScales}, {Kind::TensorMap, "sb", loadScalesB},
                     {Kind::TensorMap, "y", store},       {Kind::Scalar, "alpha", {}},
                     {Kind::Pointer, "bias", {}},         {Kind::Pointer, "counters", {}},
                     {Kind::Dimension, "M", {}},          {Kind::Dimension, "N", {}}};

  AbiVariant general;
  general.entry = "matmul$1";
  general.grid[0] = "ceildiv(N, 32)", general.grid[1] = "ceildiv(M, 32)", general.grid[2] = "B";
  general.block[0] = 128;
  general.parameters = {{Kind::Pointer, "a", {}},    {Kind::Pointer, "b", {}},    {Kind::Stride, "b", {}, 0},
                        {Kind::Stride, "b", {}, 1},  {Kind::Pointer, "sa", {}},   {Kind::Pointer, "sb", {}},
                        {Kind::Scalar, "alpha", {}}, {Kind::Pointer, "bias", {}}, {Kind::Pointer, "y", {}},
                        {Kind::Dimension, "M", {}},  {Kind::Dimension, "N", {}},  {Kind::Dimension, "K", {}}};
  kernel.variants = {fast, general};
  return kernel;
}

} // namespace mxc::test
