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
  std::string text;        // as the compiler understands it: comments, layout and names of values are gone
  bool areWritten = false; // by its author: neither heuristics nor a tuner choose
  std::vector<std::string> defaults; // launched where nobody chooses, in this order
  std::vector<ListedTile> tiles;     // none: the operation has no tiles
};

/// Every tile that was thought of for each kernel, those of the heuristics without their conditions among
/// them, in the source's order. What the operation, its types or
/// the target's budgets rule out is refused with the compiler's message. Throws mxc::Error as `compile` does.
std::vector<KernelTiles> listTiles(std::string_view source, std::string_view sourceName,
                                   const std::string &target);

struct KernelText {
  std::string kernel, text; // as in KernelTiles
};
/// Throws likewise.
std::vector<KernelText> kernelTexts(std::string_view source, std::string_view sourceName);

} // namespace mxc
