// Turns tuned choices into what is compiled.
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
  Assembler assembler = Assembler::Auto; // an image has one: the one that is faster over all buckets
  std::string problem;                   // of the database
  bool isNone() const { return tiles.empty() && assembler == Assembler::Auto; }
};

/// If several builds chose, this build's choice counts, else the newest; only assemblers at hand count. A
/// kernel keeps at most its 48 newest buckets, because each makes an entry's condition longer.
TunedTiles tunedTiles(std::span<const std::pair<std::string, std::vector<TunedChoice>>> choicesOfKernels,
                      const std::string &build);

/// Does so for all kernels in a source, with what the database holds for the device. Throws what kernelTexts
/// throws.
TunedTiles tunedTiles(const TuningDatabase &database, const Device &device, std::string_view source,
                      std::string_view sourceName);

/// Puts a tile, "warps = 4" or "#mx.swap_tile<..>", under a condition; without one it stays as it is.
std::string withCondition(const std::string &tile, const ShapeExpression &condition);

/// The database's names: "nvjitlink", "ptxas", "auto".
std::string_view name(Assembler assembler);
std::optional<Assembler> assemblerNamed(std::string_view name);

} // namespace mxc
