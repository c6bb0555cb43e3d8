// Random operands of products of blocks of 128: codes of every value, scales with heavy tails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

class BlockwiseRandom {
public:
  /// `specials`: NaN and infinities among the codes; scales that are zero, huge, tiny, negative, NaN or
  /// infinite.
  BlockwiseRandom(uint64_t seed, bool specials) : random_(seed), specials_(specials) {}

  std::byte code(const std::string &element); // "f8E4M3FN" or "f8E5M2"
  float scale();
  std::vector<std::byte> codes(const std::string &element, int64_t count);
  std::vector<float> scales(int64_t count);

private:
  std::mt19937_64 random_;
  bool specials_;
};
