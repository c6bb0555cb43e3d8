// The tiles of tests/simulator/pipeline/tile-mxfp8*.ptx with arbitrary operands and scales, against sums in
// double precision.
#include "tests/unit/simulator/PtxFile.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace mxc::sim;

namespace {

constexpr uint32_t kTiles = 2, kN = 32, kStep = 128, kSteps = 2, kK = kStep * kSteps, kBlocks = kK / 32;
constexpr uint32_t kBytesOfStep = 21120, kB = 16384, kScalesA = 20480, kScalesB = 20992; // as the files say

/// e4m3 and ue8m0; B is another one for each tile.
struct Operands {
  uint32_t ctas, m;
  std::vector<uint8_t> a, b, scalesA, scalesB;

  explicit Operands(uint32_t ctas)
      : ctas(ctas), m(128 * ctas), a(m * kK), b(kTiles * kN * kK), scalesA(m * kBlocks),
        scalesB(kTiles * kN * kBlocks) {
    std::mt19937 random(11);
    for (auto *matrix : {&a, &b})
      for (uint8_t &byte : *matrix)
        do
          byte = uint8_t(random());
        while ((byte & 0x7F) == 0x7F); // NaN
    for (auto *scales : {&scalesA, &scalesB})
      for (uint8_t &byte : *scales)
        byte = uint8_t(124 + random() % 6);
  }

  /// For each CTA and step: A, B, scales.
  std::vector<std::byte> input() const {
    std::vector<std::byte> bytes(ctas * kTiles * kSteps * kBytesOfStep);
    uint32_t rowsOfB = kN / ctas, at = 0;
    for (uint32_t rank = 0; rank < ctas; ++rank)
      for (uint32_t tile = 0; tile < kTiles; ++tile)
        for (uint32_t step = 0; step < kSteps; ++step, at += kBytesOfStep) {
          auto place = [&](uint32_t start, uint32_t row, const uint8_t *from) { // swizzled
            for (uint32_t i = 0; i < kStep; ++i)
              bytes[at + start + row * kStep + (i ^ (row & 7) << 4)] = std::byte(from[i]);
          };
          for (uint32_t row = 0; row < 128; ++row) {
            place(0, row, &a[(rank * 128 + row) * kK + step * kStep]);
            std::memcpy(&bytes[at + kScalesA + row * 4], &scalesA[(rank * 128 + row) * kBlocks + step * 4],
                        4);
          }
          for (uint32_t row = 0; row < rowsOfB; ++row)
            place(kB, row, &b[(tile * kN + rank * rowsOfB + row) * kK + step * kStep]);
          for (uint32_t row = 0; row < kN; ++row)
            std::memcpy(&bytes[at + kScalesB + row * 4], &scalesB[(tile * kN + row) * kBlocks + step * 4], 4);
        }
    return bytes;
  }

  static double valueOf(uint8_t bits) {
    int exponent = bits >> 3 & 15, fraction = bits & 7;
    double magnitude = exponent ? std::ldexp(8 + fraction, exponent - 10) : std::ldexp(fraction, -9);
    return bits & 0x80 ? -magnitude : magnitude;
  }

  bool isRight(uint32_t tile, uint32_t row, uint32_t column, float found) const {
    double sum = 0, magnitude = 0;
    for (uint32_t k = 0; k < kK; ++k) {
      uint32_t other = tile * kN + column;
      int exponent = scalesA[row * kBlocks + k / 32] + scalesB[other * kBlocks + k / 32] - 254;
      double term = std::ldexp(valueOf(a[row * kK + k]) * valueOf(b[other * kK + k]), exponent);
      sum += term, magnitude += std::abs(term);
    }
    return std::abs(found - sum) <= magnitude * std::ldexp(1, -20);
  }
};

} // namespace

TEST_CASE("MXFP8 tiles of one CTA and of a pair") {
  Operands operands(GENERATE(1u, 2u));
  PtxFile file(operands.ctas == 1 ? "pipeline/tile-mxfp8.ptx" : "pipeline/tile-mxfp8-pair.ptx");
  file.input = operands.input();
  PtxOutcome outcome = file.run(file.text);
  REQUIRE_FALSE(outcome.fault);
  for (uint32_t tile = 0; tile < kTiles; ++tile)
    for (uint32_t row = 0; row < operands.m; ++row)
      for (uint32_t column = 0; column < kN; ++column) {
        float found;
        std::memcpy(&found, &outcome.output[((tile * operands.m + row) * kN + column) * 4], 4);
        REQUIRE(operands.isRight(tile, row, column, found));
      }
  CHECK(outcome.statistics.tensorOperations == uint64_t(kTiles) * operands.m * kN * kK);
}
