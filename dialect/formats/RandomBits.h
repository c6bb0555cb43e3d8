// Random bits of elements, which are rounded by them: they follow from a seed, an offset and the element's
// place alone (docs/semantics/nvfp4.md, "Stochastic rounding").
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace mxc {

struct RandomSource {
  uint64_t seed = 0, offset = 0;
  bool isAlongColumns = false; // rows are those of a copy along columns, whose bits are others
  bool operator==(const RandomSource &) const = default;
};

/// Philox4x32 with ten rounds (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3",
/// 2011).
inline constexpr uint32_t kPhiloxMultipliers[] = {0xD2511F53, 0xCD9E8D57},
                          kPhiloxKeySteps[] = {0x9E3779B9, 0xBB67AE85};
inline constexpr int kPhiloxRounds = 10;
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// Elements of a row whose bits one counter gives: a word for four of them, a byte for each.
inline constexpr int kRandomColumns = 16, kRandomOfWord = 4;
/// Set in the run's number of a copy along columns.
inline constexpr uint32_t kColumnRuns = 0x80000000;
/// Which byte of its word each of the four has: as cvt.rs takes them.
inline constexpr int kRandomBytes[] = {0, 2, 1, 3};

/// The bits of the elements of a row from `column` on, a byte each.
void randomBytes(const RandomSource &source, int64_t row, int64_t column, std::span<uint8_t> bytes);

} // namespace mxc
