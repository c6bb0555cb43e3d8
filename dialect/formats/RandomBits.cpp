#include "dialect/formats/RandomBits.h"

namespace mxc {

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const uint64_t first = uint64_t(kPhiloxMultipliers[0]) * counter[0],
                   second = uint64_t(kPhiloxMultipliers[1]) * counter[2];
    counter = {uint32_t(second >> 32) ^ counter[1] ^ key[0], uint32_t(second),
               uint32_t(first >> 32) ^ counter[3] ^ key[1], uint32_t(first)};
    key = {key[0] + kPhiloxKeySteps[0], key[1] + kPhiloxKeySteps[1]};
  }
  return counter;
}

void randomBytes(const RandomSource &source, int64_t row, int64_t column, std::span<uint8_t> bytes) {
  std::array<uint32_t, 4> words = {};
  for (size_t i = 0; i < bytes.size(); ++i) {
    const int64_t at = column + int64_t(i), inRun = at % kRandomColumns;
    if (i == 0 || inRun == 0)
      words =
          philox({uint32_t(source.offset), uint32_t(source.offset >> 32),
                  uint32_t(at / kRandomColumns) | (source.isAlongColumns ? kColumnRuns : 0), uint32_t(row)},
                 {uint32_t(source.seed), uint32_t(source.seed >> 32)});
    bytes[i] = uint8_t(words[size_t(inRun / kRandomOfWord)] >> 8 * kRandomBytes[inRun % kRandomOfWord]);
  }
}

} // namespace mxc
