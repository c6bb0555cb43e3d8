// From what was tuned to what is compiled.
#pragma once

#include "compiler/Compiler.h"
#include "runtime/jit/TuningDatabase.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mxc {

struct TunedTiles {
  std::vector<PreferredTile> tiles;      // each with the buckets that it won as its condition
  Assembler assembler = Assembler::Auto; // an image has one: that which is the faster over all buckets
  std::string problem;                   // of the database
  bool isNone() const { return tiles.empty() && assembler == Assembler::Auto; }
};

/// Of several builds' choices this build's is taken, else the newest; of assemblers' those at hand. At most
/// 48 buckets of a kernel, the newest: each makes an entry's condition longer.
TunedTiles tunedTiles(std::span<const std::pair<std::string, std::vector<TunedChoice>>> choicesOfKernels,
                      const std::string &build);

/// The same of all kernels in a source, by what the database holds for the device. Throws what kernelTexts
/// does.
TunedTiles tunedTiles(const TuningDatabase &database, const Device &device, std::string_view source,
                      std::string_view sourceName);

/// "warps = 4" or "#mx.swap_tile<..>", under a condition; of nothing: as it is.
std::string withCondition(const std::string &tile, const ShapeExpression &condition);

/// "nvjitlink", "ptxas", "auto": as the database has them.
std::string_view name(Assembler assembler);
std::optional<Assembler> assemblerNamed(std::string_view name);

} // namespace mxc
