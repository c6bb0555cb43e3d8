// The default tiles whose lines tests take out.
#pragma once

#include "compiler/Compiler.h"
#include "tests/unit/mutation/ProductRun.h"

#include <string>
#include <vector>

/// A tile of an example (of docs/examples, or blockwise_weights): "matmul_tile<m = 128, ..".
struct DefaultTile {
  std::string target, example, tile;
  ProductShape shape;                  // of quantizers m and k
  ProductShape small = {}, other = {}; // for what shows where roles have little to do

  std::string name() const { return target + " " + example + (tile.empty() ? "" : " #mx." + tile); }
};

/// Tiles that have between them every line in every surrounding that the default tiles of a target have (the
/// test of surroundings).
const std::vector<DefaultTile> &defaultTiles();

/// The example for the tile, and what takes what that refuses.
std::string ptxOf(const DefaultTile &tile);
/// "" as a tile: those that are chosen by default.
std::string compiled(const std::string &example, const std::string &target, mxc::Stage stage,
                     const std::string &tile = {});
