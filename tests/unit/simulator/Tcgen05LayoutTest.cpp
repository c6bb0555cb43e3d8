// Descriptors, layouts and one multiplication of tcgen05, against the PTX ISA's rules written out once more.
#include "runtime/simulator/instructions/TensorFragments.h"
#include "runtime/simulator/instructions/TensorMultiply.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <random>
#include <set>

using namespace mxc::sim;

namespace {

constexpr TensorForm kMx{TensorKind::MXF8F6F4, false, false, 1},
    kMxPair{TensorKind::MXF8F6F4, true, false, 1};

InstructionDescriptor decode(uint32_t bits, const TensorForm &form) {
  return decodeInstructionDescriptor(bits, form, "sm_100a");
}

double valueOfE4m3(uint8_t bits) {
  int exponent = bits >> 3 & 15, fraction = bits & 7;
  double magnitude = exponent ? std::ldexp(8 + fraction, exponent - 10) : std::ldexp(fraction, -9);
  return bits & 0x80 ? -magnitude : magnitude;
}

/// A cluster with shared and tensor memory, without threads.
struct Machine {
  Cluster cluster;
  explicit Machine(uint32_t count, size_t sharedBytes = 200 * 1024) {
    for (uint32_t rank = 0; rank < count; ++rank) {
      auto cta = std::make_unique<Cta>();
      cta->cluster = &cluster, cta->rank = rank;
      cta->shared.bytes.resize(sharedBytes);
      cta->tensor.allocate(0, 512);
      cluster.ctas.push_back(std::move(cta));
    }
  }
  Cta &cta(uint32_t rank) { return *cluster.ctas[rank]; }
  CtaGroup group() {
    CtaGroup group;
    group.count = uint32_t(cluster.ctas.size());
    for (uint32_t rank = 0; rank < group.count; ++rank)
      group.ctas[rank] = &cta(rank);
    return group;
  }
};

std::byte &shared(Cta &cta, uint32_t offset) { return cta.shared.bytes[offset - kSharedBase]; }

} // namespace

TEST_CASE("instruction descriptors: worked values") {
  InstructionDescriptor plain = decode(0x08C00000, kMx);
  CHECK(plain.m == 128);
  CHECK(plain.n == 256);
  CHECK(plain.k == 32);
  CHECK(plain.a == Element::E4M3);
  CHECK(plain.d == Accumulator::F32);
  CHECK(decode(0x08B00000, kMx).n == 192);
  CHECK(decode(0x08A00400, kMx).b == Element::E5M2);
  CHECK(decode(0x10C00000, kMxPair).m == 256);
  const uint32_t blocks[] = {0x08C00000, 0x28C00010, 0x48C00020, 0x68C00030};
  for (uint32_t kb = 0; kb < 4; ++kb) {
    CHECK(decode(blocks[kb], kMx).aScaleId == kb);
    CHECK(decode(blocks[kb], kMx).bScaleId == kb);
  }
  // kind::f16: D f32, A and B bf16, M 128, N 256.
  InstructionDescriptor bf16 =
      decode(1u << 4 | 1u << 7 | 1u << 10 | 32u << 17 | 8u << 24, {TensorKind::F16, false, false, 0});
  CHECK(bf16.m == 128);
  CHECK(bf16.k == 16);
  CHECK(bf16.a == Element::BF16);
  InstructionDescriptor mxf4 =
      decode(0x08C00000 | 1u << 7 | 1u << 10 | 2u << 29, {TensorKind::MXF4, false, false, 2});
  CHECK(mxf4.k == 64);
  CHECK(mxf4.aScaleId == 2);
}

TEST_CASE("instruction descriptors: what is refused") {
  auto refused = [](uint32_t bits, const TensorForm &form) {
    CHECK_THROWS_AS(decode(bits, form), FaultError);
  };
  refused(0x10C00000, kMx);               // M 256 of one CTA
  refused(0x08C00000 & ~(1u << 23), kMx); // a ue4m3 scale
  refused(0x08C00000 | 4, kMx);           // sparse
  refused(0x08C00000 | 1u << 31, kMx);    // the K bit of later chips
  refused(0x08C00000 | 2u << 7, kMx);     // no such type
  refused(0x08820000 | 1u << 16, kMx);    // N-major 8-bit B: N is a multiple of 16
  refused(0x10A20000, kMxPair);           // of a pair: N is a multiple of 16
  refused(0x08C00000 | 1u << 29 | 1u << 7 | 1u << 10,
          {TensorKind::MXF4, false, false, 2}); // two scales begin at byte 0 or 2
}

TEST_CASE("matrix descriptors: worked values") {
  SmemMatrix matrix = decodeMatrixDescriptor(0x4000404000010040);
  CHECK(matrix.start == 0x400);
  CHECK(matrix.strideBytes == 1024);
  CHECK(matrix.span == 128);
  CHECK(matrix.kMajor(5, 3) + 3 == 0x6E3); // row 5, k = 0x33
  SmemMatrix scales = decodeMatrixDescriptor(0x0000400800000C40);
  for (uint32_t row = 0; row < 32; ++row)
    CHECK(scales.kMajor(row, 0) == 0xC400 + 16 * row);
  CHECK_THROWS_AS(decodeMatrixDescriptor(0x4000004000010040), FaultError);                     // bits 46-48
  CHECK_THROWS_AS(decodeMatrixDescriptor(0x4000404000010040 | uint64_t(1) << 49), FaultError); // base offset
  CHECK(decodeMatrixDescriptor(0x0000404000010040 | uint64_t(4) << 49).start ==
        0x400);                                                            // .. without a swizzle
  CHECK_THROWS_AS(decodeMatrixDescriptor(0x6000404000010040), FaultError); // swizzle 3
}

TEST_CASE("matrix descriptors: MN-major of 8-bit elements") {
  auto swizzle = [](uint32_t x, uint32_t mask) { return x ^ (x >> 7 & mask) << 4; };
  SmemMatrix matrix;
  matrix.start = 0x2000, matrix.leadingBytes = 8192, matrix.strideBytes = 1024, matrix.span = 128;
  for (uint32_t r = 0; r < 256; ++r)
    for (uint32_t k = 0; k < 32; ++k)
      REQUIRE(matrix.rowMajor(r / 16, k) + r % 16 ==
              (swizzle(0x2000 + r / 128 * 8192 + r % 128 + k % 8 * 128 + k / 8 * 1024, 7)));
  matrix.span = 16;
  for (uint32_t r = 0; r < 64; ++r)
    for (uint32_t k = 0; k < 32; ++k)
      REQUIRE(matrix.rowMajor(r / 16, k) + r % 16 ==
              0x2000 + r / 16 * 1024 + r % 16 + k % 8 * 16 + k / 8 * 8192);
}

TEST_CASE("fragments of tcgen05.ld: every cell once") {
  struct Case {
    const char *shape;
    uint32_t repeats, registers, lanes, columns;
  };
  for (const Case &c : {Case{"32x32b", 128, 128, 32, 128}, Case{"16x64b", 8, 8, 16, 16},
                        Case{"16x128b", 4, 8, 16, 16}, Case{"16x256b", 32, 128, 16, 256}}) {
    TensorFragment fragment = tensorFragment(c.shape, c.repeats, 0, false);
    CHECK(fragment.registers == c.registers);
    std::set<uint32_t> cells(fragment.offsets.begin(), fragment.offsets.end());
    CHECK(cells.size() == c.lanes * c.columns);
    for (uint32_t cell : cells)
      REQUIRE((cell / 512 < c.lanes && cell % 512 < c.columns));
  }
  // The fragment of mma: registers 0 and 1 of lane 5 are row 1, columns 2 and 3.
  TensorFragment mma = tensorFragment("16x256b", 1, 0, false);
  CHECK(mma.offsets[0 * 32 + 5] == 1 * 512 + 2);
  CHECK(mma.offsets[3 * 32 + 5] == 9 * 512 + 3);
  TensorFragment halves = tensorFragment("16x32bx2", 2, 40, false);
  CHECK(halves.offsets[1 * 32 + 3] == 3 * 512 + 1);
  CHECK(halves.offsets[1 * 32 + 19] == 3 * 512 + 41);
  CHECK(tensorFragment("16x128b", 128, 0, false).registers == 0);
  CHECK(tensorFragment("32x32b", 3, 0, false).registers == 0);
}

TEST_CASE("allocation: units, first fit, exact release") {
  TensorMemory tensor;
  CHECK(*tensor.findFree(512) == 0);
  tensor.allocate(0, 128);
  CHECK(*tensor.findFree(64) == 128);
  CHECK_FALSE(tensor.findFree(512));
  tensor.allocate(128, 64);
  CHECK_THROWS_AS(tensor.release(0, 64), FaultError);
  CHECK_THROWS_AS(tensor.release(32, 128), FaultError);
  tensor.release(0, 128);
  CHECK_THROWS_AS(tensor.release(0, 128), FaultError);
  CHECK_THROWS_AS(tensor.check({0, 32, 120, 16}, "test"), FaultError);
  tensor.check({0, 128, 128, 64}, "test");
}

// 128 x 128 x 256 and, of a pair, 256 x 128 x 256: SW128 tiles of 128 along K, eight instructions.
TEST_CASE("mxf8f6f4: a tile against double") {
  uint32_t ctas = GENERATE(1u, 2u);
  Machine machine(ctas);
  const uint32_t m = 128 * ctas, n = 128, k = 256;
  std::mt19937 random(7);
  std::vector<uint8_t> a(m * k), b(n * k), sa(m * k / 32), sb(n * k / 32);
  for (auto *matrix : {&a, &b})
    for (uint8_t &byte : *matrix)
      do
        byte = uint8_t(random());
      while ((byte & 0x7F) == 0x7F);
  for (auto *scales : {&sa, &sb})
    for (uint8_t &byte : *scales)
      byte = uint8_t(122 + random() % 10);
  const uint32_t aStart = 0x400, bStart = 0x8400, rowsOfB = n / ctas;
  auto place = [&](Cta &cta, uint32_t start, uint32_t rows, uint32_t row, uint32_t col, uint8_t byte) {
    uint32_t linear = start + col / 128 * rows * 128 + row * 128 + col % 128;
    shared(cta, linear ^ (linear >> 7 & 7) << 4) = std::byte(byte);
  };
  for (uint32_t rank = 0; rank < ctas; ++rank) {
    Cta &cta = machine.cta(rank);
    for (uint32_t col = 0; col < k; ++col) {
      for (uint32_t row = 0; row < 128; ++row)
        place(cta, aStart, 128, row, col, a[(rank * 128 + row) * k + col]);
      for (uint32_t row = 0; row < rowsOfB; ++row)
        place(cta, bStart, rowsOfB, row, col, b[(rank * rowsOfB + row) * k + col]);
    }
    auto setScale = [&](uint32_t column, uint32_t row, uint32_t kb, uint8_t byte) {
      for (uint32_t copy = 0; copy < 4; ++copy) {
        uint32_t &cell = *cta.tensor.row(row % 32 + 32 * copy, column + kb / 4 * 4 + row / 32);
        cell = (cell & ~(0xFFu << kb % 4 * 8)) | uint32_t(byte) << kb % 4 * 8;
      }
    };
    for (uint32_t kb = 0; kb < k / 32; ++kb) {
      for (uint32_t row = 0; row < 128; ++row)
        setScale(256, row, kb, sa[(rank * 128 + row) * (k / 32) + kb]);
      for (uint32_t row = 0; row < n; ++row)
        setScale(264, row, kb, sb[row * (k / 32) + kb]);
    }
  }
  for (uint32_t kb = 0; kb < k / 32; ++kb) {
    TensorMultiply multiply;
    multiply.form = ctas == 2 ? kMxPair : kMx;
    multiply.group = machine.group();
    uint32_t idesc = (1u << 23) + (n >> 3 << 17) + (m >> 7 << 27) + (kb % 4 << 29) + (kb % 4 << 4);
    multiply.shape = decode(idesc, multiply.form);
    multiply.model =
        dotModelOf("sm_100a", TensorUnit::Tcgen05, Element::E4M3, Element::E4M3, Accumulator::F32);
    auto descriptor = [&](uint32_t start) {
      return decodeMatrixDescriptor((start >> 4) + (uint64_t(1) << 16) + (uint64_t(64) << 32) +
                                    (uint64_t(1) << 46) + (uint64_t(2) << 61));
    };
    multiply.a = descriptor(aStart + kb / 4 * 128 * 128 + kb % 4 * 32);
    multiply.b = descriptor(bStart + kb / 4 * rowsOfB * 128 + kb % 4 * 32);
    multiply.aScales = 256 + kb / 4 * 4, multiply.bScales = 264 + kb / 4 * 4;
    multiply.readsD = kb != 0;
    multiply.checkAddresses();
    multiply.compute();
  }
  for (uint32_t row = 0; row < m; ++row)
    for (uint32_t col = 0; col < n; ++col) {
      double sum = 0, magnitude = 0;
      for (uint32_t i = 0; i < k; ++i) {
        int exponent = sa[row * (k / 32) + i / 32] + sb[col * (k / 32) + i / 32] - 254;
        double term = std::ldexp(valueOfE4m3(a[row * k + i]) * valueOfE4m3(b[col * k + i]), exponent);
        sum += term, magnitude += std::abs(term);
      }
      float found = __builtin_bit_cast(float, *machine.cta(row / 128).tensor.row(row % 128, col));
      REQUIRE(std::abs(found - sum) <= magnitude * std::ldexp(1, -20));
    }
}

// D of the layouts that part N, and A of tensor memory: bf16 with small integers, which are exact.
TEST_CASE("kind::f16: rows of D by layout") {
  struct Case {
    uint32_t m, ctas;
    bool isWeightStationary, isAInTensorMemory, isBTransposed;
  };
  const auto c = GENERATE(Case{128, 1, false, false, false}, Case{64, 1, false, false, false},
                          Case{64, 1, true, false, false}, Case{32, 1, true, false, false},
                          Case{128, 2, false, false, false}, Case{256, 2, false, false, false},
                          Case{128, 1, false, true, false}, Case{64, 1, true, true, false},
                          Case{128, 2, false, true, true}, Case{128, 1, false, false, true});
  Machine machine(c.ctas);
  const uint32_t n = 64, k = 16, rows = c.m / c.ctas, columns = n / c.ctas;
  auto bf16 = [](int value) { return uint16_t(__builtin_bit_cast(uint32_t, float(value)) >> 16); };
  auto valueA = [](uint32_t row, uint32_t i) { return int((row * 7 + i * 3) % 11) - 5; };
  auto valueB = [](uint32_t col, uint32_t i) { return int((col * 5 + i) % 13) - 6; };
  TensorMultiply multiply;
  multiply.form = {TensorKind::F16, c.ctas == 2, c.isWeightStationary, 0};
  multiply.group = machine.group();
  multiply.shape =
      decode(1u << 4 | 1u << 7 | 1u << 10 | uint32_t(c.isBTransposed) << 16 | n / 8 << 17 | c.m / 16 << 24,
             multiply.form);
  multiply.model = dotModelOf("sm_100a", TensorUnit::Tcgen05, Element::BF16, Element::BF16, Accumulator::F32);
  multiply.readsD = false;
  multiply.isAInTensorMemory = c.isAInTensorMemory;
  multiply.aAddress = 300, multiply.dAddress = 8;
  // No swizzle: cores of 8 rows x 16 bytes; K-major LBO along K, SBO along rows.
  multiply.a.start = 0x400, multiply.a.leadingBytes = 128, multiply.a.strideBytes = 256;
  multiply.b.start = 0x8400, multiply.b.leadingBytes = c.isBTransposed ? 2048 : 128,
  multiply.b.strideBytes = c.isBTransposed ? 128 : 256;
  for (uint32_t rank = 0; rank < c.ctas; ++rank) {
    Cta &cta = machine.cta(rank);
    for (uint32_t i = 0; i < k; ++i) {
      for (uint32_t row = 0; row < rows; ++row) {
        uint16_t bits = bf16(valueA(rank * rows + row, i));
        if (!c.isAInTensorMemory)
          std::memcpy(&shared(cta, 0x400 + row / 8 * 256 + row % 8 * 16 + i / 8 * 128 + i % 8 * 2), &bits, 2);
        for (uint32_t part = 0; c.isAInTensorMemory && part < multiply.parts(); ++part)
          std::memcpy(reinterpret_cast<char *>(cta.tensor.row(row + part * rows, 300)) + i * 2, &bits, 2);
      }
      for (uint32_t col = 0; col < columns; ++col) {
        uint16_t bits = bf16(valueB(rank * columns + col, i));
        uint32_t at = c.isBTransposed ? col / 8 * 128 + col % 8 * 2 + i % 8 * 16 + i / 8 * 2048
                                      : col / 8 * 256 + col % 8 * 16 + i / 8 * 128 + i % 8 * 2;
        std::memcpy(&shared(cta, 0x8400 + at), &bits, 2);
      }
    }
  }
  multiply.checkAddresses();
  multiply.compute();
  for (uint32_t row = 0; row < c.m; ++row)
    for (uint32_t col = 0; col < n; ++col) {
      int sum = 0;
      for (uint32_t i = 0; i < k; ++i)
        sum += valueA(row, i) * valueB(col, i);
      uint32_t rank = row / rows, r = row % rows, lane = r, column = col;
      if (c.m == 64 && !c.isWeightStationary) lane = r / 16 * 32 + r % 16;
      if (c.isWeightStationary || (c.ctas == 2 && c.m == 128)) {
        uint32_t part = c.m == 32 ? col / 16 : col / 32;
        lane = r + rows * part, column = c.m == 32 ? col % 16 : col % 32;
      }
      REQUIRE(__builtin_bit_cast(float, *machine.cta(rank).tensor.row(lane, 8 + column)) == float(sum));
    }
}
