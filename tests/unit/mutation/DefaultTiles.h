// The default tiles whose lines tests take out: all that kernels of docs/examples have.
#pragma once

#include "compiler/abi/CompiledKernel.h"

#include <string>
#include <utility>
#include <vector>

/// One entry point that a target's heuristics give a kernel, and the first of its tiles.
struct DefaultTile {
  std::string target, form; // the kernel's form: an example of docs/examples, "matmul_mxfp6"
  std::string tile;         // "matmul_tile<m = 128, ..>" without its condition; "" of kernels without tiles
  std::string kernel;       // by its name in the ABI
  std::string entry;        // likewise
  size_t variant;           // of the kernel

  std::string name() const { return target + " " + form + (tile.empty() ? "" : " #mx." + tile); }
};

/// The forms of kernels: docs/examples, and what is made of them by other elements.
std::vector<std::string> formsOfKernels();
/// One for each entry point; none where the target has no kernel of that form.
std::vector<DefaultTile> defaultTilesOf(const std::string &form, const std::string &target);
/// The tile of that name.
DefaultTile defaultTileNamed(const std::string &name);

/// What a launch of the tile takes.
struct TileCode {
  mxc::ModuleAbi abi;
  std::string ptx; // of its entry alone
};
TileCode codeOf(const DefaultTile &tile);
/// The tiles of defaultTilesOf, and the PTX of each one's entry.
std::vector<std::pair<DefaultTile, std::string>> defaultCodeOf(const std::string &form,
                                                               const std::string &target);
