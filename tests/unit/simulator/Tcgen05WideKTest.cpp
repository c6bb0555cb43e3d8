// K = 96 of kind::mxf4 and kind::mxf4nvf4 (sm_103a): a step of 768 elements along K as CUTLASS takes it,
// which is eight instructions over three buffers of 128 bytes a row. Layouts are written out once more.
#include "runtime/simulator/instructions/TensorMultiply.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace mxc::sim;

namespace {

constexpr uint32_t kK = 768, kWide = 1u << 31, kCodes = 1u << 7 | 1u << 10; // E2M1 of both
constexpr uint32_t kStartA = 0x400, kStartB = 0xC400;                       // buffers of 16 and 32 KiB
constexpr uint32_t kScalesOfA = 256, kScalesOfB = 320;                      // columns

InstructionDescriptor decode(uint32_t bits, const TensorForm &form, mxc::TargetName chip = "sm_103a") {
  return decodeInstructionDescriptor(bits, form, chip);
}
SmemMatrix matrix(uint32_t start, uint32_t next) {
  return decodeMatrixDescriptor((start >> 4) + (uint64_t(next >> 4) << 16) + (uint64_t(64) << 32) +
                                (uint64_t(1) << 46) + (uint64_t(1) << 52) + (uint64_t(2) << 61));
}

constexpr double kValues[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
double valueOf(uint8_t code) { return code & 8 ? -kValues[code & 7] : kValues[code & 7]; }

struct Operand {
  std::vector<uint8_t> codes, scales; // [row][k], [row][block]: powers of two
  uint32_t blocks;
  Operand(uint32_t rows, uint32_t blocks, uint32_t seed) : blocks(blocks) {
    std::mt19937 random(seed);
    codes.resize(rows * kK), scales.resize(rows * blocks);
    for (uint8_t &code : codes)
      code = random() & 15;
    for (uint8_t &scale : scales)
      scale = random() % 3;
  }
  double value(uint32_t row, uint32_t k) const {
    return std::ldexp(valueOf(codes[row * kK + k]), scales[row * blocks + k / (kK / blocks)]);
  }
};

/// Rows of 128 bytes in atoms of eight, swizzled; a buffer every 256 elements of K.
void placeElements(Cta &cta, uint32_t start, uint32_t bufferBytes, uint32_t rows, const Operand &from,
                   uint32_t firstRow) {
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t k = 0; k < kK; ++k) {
      uint32_t at = start + k / 256 * bufferBytes + row * 128 + k % 256 / 2;
      at ^= (at >> 7 & 7) << 4;
      cta.shared.bytes[at - kSharedBase] |= std::byte(from.codes[(firstRow + row) * kK + k] << k % 2 * 4);
    }
}

/// Four scales of a row are a word, 128 rows four columns; words of more rows, then those of more K.
void placeScales(Cta &cta, uint32_t column, uint32_t rows, uint32_t firstRow, const Operand &from,
                 bool isE4m3) {
  const uint32_t columns = (rows + 127) / 128 * 4;
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t block = 0; block < from.blocks; ++block)
      for (uint32_t copy = 0; copy < 4; ++copy) {
        const uint8_t power = from.scales[(firstRow + row) * from.blocks + block];
        uint32_t &cell = *cta.tensor.row(row % 32 + 32 * copy, column + block / 4 * columns + row / 32);
        const uint32_t byte = isE4m3 ? (power + 7u) << 3 : power + 127u;
        cell = (cell & ~(0xFFu << block % 4 * 8)) | byte << block % 4 * 8;
      }
}

} // namespace

TEST_CASE("tcgen05.mma: K = 96 over three buffers, with scales that begin at any byte") {
  struct Case {
    TensorKind kind;
    uint32_t ctas, n, scalesPerRow;
    bool isE4m3;
  };
  const auto c =
      GENERATE(Case{TensorKind::MXF4NVF4, 1, 128, 4, true}, Case{TensorKind::MXF4NVF4, 1, 192, 4, true},
               Case{TensorKind::MXF4NVF4, 1, 256, 4, false}, Case{TensorKind::MXF4NVF4, 1, 192, 2, false},
               Case{TensorKind::MXF4, 1, 256, 2, false}, Case{TensorKind::MXF4NVF4, 2, 256, 4, true},
               Case{TensorKind::MXF4, 2, 128, 2, false});
  const uint32_t blocks = kK * c.scalesPerRow / 64, m = 128 * c.ctas, rowsOfB = c.n / c.ctas;
  const Operand a(m, blocks, 1), b(c.n, blocks, 2);
  Cluster cluster;
  TensorMultiply multiply;
  multiply.form = {c.kind, c.ctas == 2, false, c.scalesPerRow};
  multiply.group.count = c.ctas;
  for (uint32_t rank = 0; rank < c.ctas; ++rank) {
    auto cta = std::make_unique<Cta>();
    cta->cluster = &cluster, cta->rank = rank;
    cta->shared.bytes.resize(200 << 10);
    cta->tensor.allocate(0, 512);
    placeElements(*cta, kStartA, 16 << 10, 128, a, rank * 128);
    placeElements(*cta, kStartB, 32 << 10, rowsOfB, b, rank * rowsOfB);
    placeScales(*cta, kScalesOfA, 128, rank * 128, a, c.isE4m3);
    placeScales(*cta, kScalesOfB, c.n, 0, b, c.isE4m3);
    multiply.group.ctas[rank] = cta.get();
    cluster.ctas.push_back(std::move(cta));
  }
  multiply.checksScales = true;
  for (uint32_t step = 0; step < kK / 96; ++step) {
    const uint32_t byte = step * 48, buffer = byte / 128, next = (byte + 47) / 128,
                   scale = step * 96 * c.scalesPerRow / 64;
    multiply.shape = decode(kWide | kCodes | uint32_t(!c.isE4m3) << 23 | c.n >> 3 << 17 | m >> 7 << 27 |
                                scale % 4 << 29 | scale % 4 << 4,
                            multiply.form);
    REQUIRE(multiply.shape.k == 96);
    REQUIRE(multiply.shape.scalesPerRow == c.scalesPerRow * 3 / 2);
    multiply.model =
        dotModelOf("sm_103a", TensorUnit::Tcgen05, Element::E2M1, Element::E2M1, Accumulator::F32, true);
    multiply.a = matrix(kStartA + buffer * (16 << 10) + byte % 128, kStartA + next * (16 << 10));
    multiply.b = matrix(kStartB + buffer * (32 << 10) + byte % 128, kStartB + next * (32 << 10));
    multiply.aScales = kScalesOfA + scale / 4 * 4;
    multiply.bScales = kScalesOfB + scale / 4 * ((c.n + 127) / 128 * 4);
    multiply.readsD = step != 0;
    multiply.checkAddresses();
    for (const TensorUse &use : multiply.uses()) // of scales: no more than what is there
      CHECK((use.writes || use.region.column + use.region.columns <= 416));
    multiply.compute();
  }
  for (uint32_t row = 0; row < m; ++row)
    for (uint32_t column = 0; column < c.n; ++column) {
      double sum = 0;
      for (uint32_t k = 0; k < kK; ++k)
        sum += a.value(row, k) * b.value(column, k);
      const uint32_t found = *multiply.group.ctas[row / 128]->tensor.row(row % 128, column);
      REQUIRE(double(__builtin_bit_cast(float, found)) == sum);
    }
}

TEST_CASE("tcgen05.mma: what K = 96 needs") {
  const TensorForm two{TensorKind::MXF4, false, false, 2}, four{TensorKind::MXF4NVF4, false, false, 4};
  const uint32_t idesc = kWide | kCodes | 1u << 23 | 16u << 17 | 1u << 27;
  CHECK(decode(idesc, two).scalesPerRow == 3);
  CHECK(decode(idesc | 3u << 29 | 1u << 4, two).aScaleId == 3);
  CHECK(decode(idesc | 2u << 29, four).scalesPerRow == 6);
  CHECK_THROWS_AS(decode(idesc | 1u << 29, four), FaultError);
  CHECK_THROWS_AS(decode(idesc, two, "sm_100a"), FaultError); // bit 31
  CHECK_THROWS_AS(decode(idesc & ~(3u << 7) & ~(3u << 10), {TensorKind::MXF8F6F4, false, false, 1}),
                  FaultError);

  TensorMultiply multiply;
  multiply.form = two, multiply.shape = decode(idesc, two);
  auto isRight = [&](SmemMatrix a, uint32_t k) {
    multiply.a = a, multiply.b = matrix(kStartB, kStartB), multiply.shape.k = k;
    try {
      multiply.checkAddresses();
      return true;
    } catch (const FaultError &) {
      return false;
    }
  };
  auto relative = [](uint32_t start) {
    SmemMatrix plain = matrix(start, 0);
    plain.isAbsolute = false;
    return plain;
  };
  CHECK(isRight(matrix(kStartA + 96, kStartA), 96));
  CHECK_FALSE(isRight(matrix(kStartA + 96, kStartA), 64)); // absolute, 32 bytes
  CHECK(isRight(relative(kStartA + 80), 96));
  CHECK_FALSE(isRight(relative(kStartA + 96), 96)); // goes on nowhere
  multiply.isAInTensorMemory = true;
  CHECK_FALSE(isRight(relative(kStartA), 96));
  // An absolute address without the 128-byte swizzle.
  CHECK_THROWS_AS(decodeMatrixDescriptor(0x0010404000010040), FaultError);
}
