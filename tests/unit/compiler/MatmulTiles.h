// The tiles of a product as the compiler chooses them and models their times, without MLIR's types.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct MatmulTiles {
  struct Choice {
    std::string tile, refusal;
  };
  struct Default {
    std::string when; // "" always
    int n = 0, slices = 1;
    std::string tile;
  };
  std::vector<Choice> choices;
  std::vector<Default> defaults;
};

/// The tiles of MXFP8, or of MXFP4, for c in bf16, with extents as they stand in a memref: "?", "4096".
MatmulTiles matmulTiles(const std::string &m, const std::string &n, const std::string &k,
                        const std::string &target, bool isFourBits = false);

/// What the model says of a tile, its attribute printed.
double modelledMicros(const std::string &tile, const std::string &target, int64_t m, int64_t n, int64_t k,
                      bool isFourBits = false);
int modelledStep(const std::string &tile, const std::string &target,
                 bool isFourBits = false); // cycles of the tensor core
