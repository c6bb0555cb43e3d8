// Which tiles each kernel of a source may have on a target, for people and tuners.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mxc {

struct ListedTile {
  std::string tile;     // as --tile takes it
  std::string estimate; // what speaks for it; "": nothing is known
  std::string refusal;  // why not; "": it compiles, and may be the fastest
};

struct KernelTiles {
  std::string kernel;
  std::vector<std::string> defaults; // launched where nobody chooses, in this order
  std::vector<ListedTile> tiles;     // none: the operation has no tiles
};

/// Every tile that was thought of for each kernel, in the source's order. What the operation, its types or
/// the target's budgets rule out is refused with the compiler's message. Throws mxc::Error as `compile` does.
std::vector<KernelTiles> listTiles(std::string_view source, std::string_view sourceName,
                                   const std::string &target);

} // namespace mxc
