// mma.sync through the engine: every shape's fragments against a plain matrix product of small integers.
#include "tests/unit/simulator/RunPtx.h"
#include "tests/unit/simulator/SmallNumbers.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace mxc::sim;

namespace {

struct Case {
  const char *target, *modifiers;
  int m, k;
  Element a, b;
  char result; // 'f' f32, 'h' f16, 'i' s32
  bool isPadded = false;
  int scales = 0;
};

const Case kCases[] = {
    {"sm_90a", "m16n8k16.row.col.f32.bf16.bf16.f32", 16, 16, Element::BF16, Element::BF16, 'f'},
    {"sm_90a", "m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8, Element::BF16, Element::BF16, 'f'},
    {"sm_90a", "m16n8k16.row.col.f32.f16.f16.f32", 16, 16, Element::F16, Element::F16, 'f'},
    {"sm_90a", "m16n8k8.row.col.f16.f16.f16.f16", 16, 8, Element::F16, Element::F16, 'h'},
    {"sm_90a", "m16n8k16.row.col.f16.f16.f16.f16", 16, 16, Element::F16, Element::F16, 'h'},
    {"sm_90a", "m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, Element::TF32, Element::TF32, 'f'},
    {"sm_90a", "m16n8k4.row.col.f32.tf32.tf32.f32", 16, 4, Element::TF32, Element::TF32, 'f'},
    {"sm_90a", "m16n8k32.row.col.f32.e4m3.e5m2.f32", 16, 32, Element::E4M3, Element::E5M2, 'f'},
    {"sm_90a", "m16n8k32.row.col.s32.s8.u8.s32", 16, 32, Element::S8, Element::U8, 'i'},
    {"sm_90a", "m16n8k16.row.col.satfinite.s32.u8.s8.s32", 16, 16, Element::U8, Element::S8, 'i'},
    {"sm_90a", "m8n8k16.row.col.s32.s8.s8.s32", 8, 16, Element::S8, Element::S8, 'i'},
    {"sm_90a", "m16n8k64.row.col.s32.s4.u4.s32", 16, 64, Element::S4, Element::U4, 'i'},
    {"sm_90a", "m16n8k32.row.col.s32.s4.s4.s32", 16, 32, Element::S4, Element::S4, 'i'},
    {"sm_90a", "m8n8k32.row.col.s32.u4.u4.s32", 8, 32, Element::U4, Element::U4, 'i'},
    {"sm_90a", "m16n8k256.row.col.s32.b1.b1.s32.and.popc", 16, 256, Element::B1, Element::B1, 'i'},
    {"sm_90a", "m16n8k128.row.col.s32.b1.b1.s32.and.popc", 16, 128, Element::B1, Element::B1, 'i'},
    {"sm_90a", "m8n8k128.row.col.s32.b1.b1.s32.and.popc", 8, 128, Element::B1, Element::B1, 'i'},
    {"sm_120a", "m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32", 16, 32, Element::E2M1, Element::E3M2, 'f',
     true},
    {"sm_120a", "m16n8k32.row.col.kind::f8f6f4.f16.e5m2.e2m3.f16", 16, 32, Element::E5M2, Element::E2M3, 'h',
     true},
    {"sm_120a", "m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e2m1.f32.ue8m0", 16, 32,
     Element::E4M3, Element::E2M1, 'f', true, 1},
    {"sm_120a", "kind::mxf8f6f4.block_scale.m16n8k32.row.col.f32.e4m3.e5m2.f32.ue8m0", 16, 32, Element::E4M3,
     Element::E5M2, 'f', true, 1},
    {"sm_120a", "m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0", 16, 64,
     Element::E2M1, Element::E2M1, 'f', false, 2},
    {"sm_120a", "m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3", 16, 64,
     Element::E2M1, Element::E2M1, 'f', false, 4},
};

using Matrix = std::vector<std::vector<int>>; // [row][column]

Matrix randomMatrix(std::mt19937 &random, int rows, int columns, Element element) {
  Matrix matrix(static_cast<size_t>(rows), std::vector<int>(static_cast<size_t>(columns)));
  for (auto &row : matrix)
    for (int &value : row)
      value = smallNumber(element, uint32_t(random()));
  return matrix;
}

/// A lane's registers of an operand with `rows` rows of k (PTX ISA 9.7.14.5, the formulas of each shape in
/// one).
std::vector<uint32_t> fragment(const Matrix &matrix, Element element, bool isPadded, int lane) {
  int width = isPadded ? 8 : int(bitsOf(element)), count = 32 / width, k = int(matrix[0].size());
  std::vector<uint32_t> words;
  for (int firstK = 0; firstK < k; firstK += 4 * count)
    for (size_t row = size_t(lane / 4); row < matrix.size(); row += 8) {
      uint64_t word = 0;
      for (int i = 0; i < count; ++i) {
        uint32_t bits = bitsOfSmall(element, matrix[row][size_t(firstK + lane % 4 * count + i)]);
        word |= uint64_t(isPadded && element == Element::E2M1 ? bits << 2 : bits) << (i * width);
      }
      words.push_back(uint32_t(word));
    }
  return words;
}

/// f(word index of the lane, row, column, shift)
template <class F> void forAccumulator(const Case &c, int lane, F f) {
  int word = 0;
  for (int row = lane / 4; row < c.m; row += 8)
    for (int i = 0; i < 2; ++i)
      f(c.result == 'h' ? row / 8 : word++, row, lane % 4 * 2 + i, c.result == 'h' ? 16 * i : 0);
}

std::string list(const char *prefix, size_t count) {
  std::string text = "{";
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", %" : "%") + std::string(prefix) + std::to_string(i);
  return text + "}";
}

std::string loads(const char *prefix, size_t count, size_t &offset) {
  std::string text;
  for (size_t i = 0; i < count; ++i, offset += 4)
    text += "ld.global.u32 %" + std::string(prefix) + std::to_string(i) + ", [%in+" + std::to_string(offset) +
            "];\n";
  return text;
}

} // namespace

TEST_CASE("mma.sync multiplies matrices of small integers exactly") {
  std::mt19937 random(1);
  for (const Case &c : kCases) {
    INFO(c.modifiers);
    Matrix a = randomMatrix(random, c.m, c.k, c.a), b = randomMatrix(random, 8, c.k, c.b);
    Matrix addend = randomMatrix(random, c.m, 8, Element::S8);
    // Scales: lane l has bytes that differ; powers of two up to 4 (ue8m0 127 + x, ue4m3 (7 + x) << 3).
    bool isUE4M3 = c.scales == 4;
    auto scaleByte = [&](int lane, int byte, int of) { return (lane * 7 + byte * 3 + of) % 3; };
    int byteA = c.scales == 1 ? 3 : 0, threadA = 1, byteB = c.scales == 2 ? 2 : 0, threadB = 2;
    std::vector<uint32_t> input;
    size_t aWords = 0, bWords = 0, cWords = c.result == 'h' ? size_t(c.m) / 8 : size_t(c.m) / 4;
    for (int lane = 0; lane < 32; ++lane) {
      std::vector<uint32_t> words = fragment(a, c.a, c.isPadded, lane),
                            more = fragment(b, c.b, c.isPadded, lane);
      aWords = words.size(), bWords = more.size();
      words.insert(words.end(), more.begin(), more.end());
      words.resize(aWords + bWords + cWords);
      forAccumulator(c, lane, [&](int word, int row, int column, int shift) {
        words[aWords + bWords + size_t(word)] |=
            accumulatorBits(c.result, addend[size_t(row)][size_t(column)]) << shift;
      });
      for (int of = 0; of < 2; ++of) {
        uint32_t scales = 0;
        for (int byte = 0; byte < 4; ++byte) {
          uint32_t power = uint32_t(scaleByte(lane, byte, of));
          scales |= (isUE4M3 ? (7 + power) << 3 : 127 + power) << (8 * byte);
        }
        words.push_back(scales);
      }
      input.insert(input.end(), words.begin(), words.end());
    }
    size_t words = input.size() / 32, offset = 0;
    std::string body = ".reg .b32 %t, %a<16>, %b<8>, %c<8>, %s<2>;\n.reg .b64 %x;\nmov.u32 %t, %tid.x;\n";
    body += "mul.wide.u32 %x, %t, " + std::to_string(words * 4) + ";\nadd.s64 %in, %in, %x;\n";
    body += "mul.wide.u32 %x, %t, " + std::to_string(cWords * 4) + ";\nadd.s64 %out, %out, %x;\n";
    body += loads("a", aWords, offset);
    body += loads("b", bWords, offset);
    body += loads("c", cWords, offset);
    body += loads("s", 2, offset);
    body += "mma.sync.aligned." + std::string(c.modifiers) + " " + list("c", cWords) + ", " +
            list("a", aWords) + ", " + list("b", bWords) + ", " + list("c", cWords);
    if (c.scales)
      body += ", {%s0}, {" + std::to_string(byteA) + ", " + std::to_string(threadA) + "}, %s1, {" +
              std::to_string(byteB) + ", " + std::to_string(threadB) + "}";
    body += ";\n";
    for (size_t i = 0; i < cWords; ++i)
      body += "st.global.u32 [%out+" + std::to_string(i * 4) + "], %c" + std::to_string(i) + ";\n";
    PtxRun how;
    how.target = c.target;
    std::vector<uint32_t> output = runPtx<uint32_t>(kernelOf(body, c.target), input, 32 * cWords, how);
    for (int lane = 0; lane < 32; ++lane)
      forAccumulator(c, lane, [&](int word, int row, int column, int shift) {
        int sum = addend[size_t(row)][size_t(column)];
        for (int k = 0; k < c.k; ++k) {
          int scale = 0;
          if (c.scales) {
            int block = k * c.scales / c.k;
            scale = scaleByte(row % 8 * 4 + 2 * threadA + row / 8, byteA + block, 0) +
                    scaleByte(column * 4 + threadB, byteB + block, 1);
          }
          sum += a[size_t(row)][size_t(k)] * b[size_t(column)][size_t(k)] * (1 << scale);
        }
        uint32_t found = output[size_t(lane) * cWords + size_t(word)] >> shift;
        REQUIRE((c.result == 'h' ? found & 0xFFFF : found) == accumulatorBits(c.result, sum));
      });
  }
}

TEST_CASE("mma.sync of f64 is a chain of fused multiply-adds") {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  struct Shape {
    const char *name;
    int m, k;
  };
  for (Shape shape : {Shape{"m8n8k4", 8, 4}, {"m16n8k4", 16, 4}, {"m16n8k8", 16, 8}, {"m16n8k16", 16, 16}}) {
    size_t aWords = size_t(shape.m * shape.k) / 32, bWords = size_t(shape.k) / 4,
           cWords = size_t(shape.m) / 4;
    size_t words = aWords + bWords + cWords;
    std::vector<double> input(32 * words);
    for (double &value : input)
      value = normal(random);
    std::string body = ".reg .b32 %t;\n.reg .f64 %f<32>;\n.reg .b64 %x;\nmov.u32 %t, %tid.x;\n";
    body += "mul.wide.u32 %x, %t, " + std::to_string(words * 8) + ";\nadd.s64 %in, %in, %x;\n";
    body += "mul.wide.u32 %x, %t, " + std::to_string(cWords * 8) + ";\nadd.s64 %out, %out, %x;\n";
    auto registers = [](size_t first, size_t count) {
      std::string text = "{";
      for (size_t i = first; i < first + count; ++i)
        text += (i > first ? ", %f" : "%f") + std::to_string(i);
      return text + "}";
    };
    for (size_t i = 0; i < words; ++i)
      body += "ld.global.f64 %f" + std::to_string(i) + ", [%in+" + std::to_string(i * 8) + "];\n";
    std::string c = registers(aWords + bWords, cWords);
    body += "mma.sync.aligned." + std::string(shape.name) + ".row.col.f64.f64.f64.f64 " + c + ", " +
            registers(0, aWords) + ", " + registers(aWords, bWords) + ", " + c + ";\n";
    for (size_t i = 0; i < cWords; ++i)
      body += "st.global.f64 [%out+" + std::to_string(i * 8) + "], %f" + std::to_string(aWords + bWords + i) +
              ";\n";
    std::vector<double> output = runPtx<double>(kernelOf(body), input, 32 * cWords);
    for (int row = 0; row < shape.m; ++row)
      for (int column = 0; column < 8; ++column) {
        size_t register_ = size_t(row / 8 * 2 + column % 2), lane = size_t(row % 8 * 4 + column / 2);
        double sum = input[lane * words + aWords + bWords + register_];
        for (int k = 0; k < shape.k; ++k) {
          double a = input[size_t(row % 8 * 4 + k % 4) * words + size_t(k / 4 * (shape.m / 8) + row / 8)];
          double b = input[size_t(column * 4 + k % 4) * words + aWords + size_t(k / 4)];
          sum = std::fma(a, b, sum);
        }
        REQUIRE(output[lane * cWords + register_] == sum);
      }
  }
}

// An H200's rule, which no document has.
TEST_CASE("NaN in mma.sync of f64 keeps its sign and payload, and arises negative") {
  constexpr uint64_t kOne = 0x3FF0000000000000, kInf = 0x7FF0000000000000, kMinus = uint64_t(1) << 63;
  constexpr uint64_t kQuiet = 0x7FF8000000000123, kOther = 0xFFF8000000000456,
                     kSignaling = 0x7FF0000000000789;
  struct Case {
    uint64_t a, b, c, expected;
    int k; // where a and b stand; elsewhere 1
  };
  const Case cases[] = {{kInf, 0, kOne, 0xFFF8000000000000, 2},
                        {kInf, kOne, kInf | kMinus, 0xFFF8000000000000, 0},
                        {kQuiet, kOther, kSignaling, kOther, 1},
                        {kQuiet, kOne, kSignaling, 0x7FF8000000000789, 3},
                        {kOther, kOne, kOne, kOther, 0},
                        {kOne, kSignaling, kOther, 0x7FF8000000000789, 2},
                        {kOther, 0, kInf, kOther, 1}};
  std::string body = ".reg .b32 %t;\n.reg .f64 %f<6>;\n.reg .b64 %x;\nmov.u32 %t, %tid.x;\n";
  body +=
      "mul.wide.u32 %x, %t, 32;\nadd.s64 %in, %in, %x;\nmul.wide.u32 %x, %t, 16;\nadd.s64 %out, %out, %x;\n";
  for (int i = 0; i < 4; ++i)
    body += "ld.global.f64 %f" + std::to_string(i) + ", [%in+" + std::to_string(8 * i) + "];\n";
  body += "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%f4,%f5}, {%f0}, {%f1}, {%f2,%f3};\n"
          "st.global.f64 [%out], %f4;\nst.global.f64 [%out+8], %f5;\n";
  for (const Case &c : cases) {
    std::vector<uint64_t> input;
    for (int lane = 0; lane < 32; ++lane)
      for (uint64_t value : {lane % 4 == c.k ? c.a : kOne, lane % 4 == c.k ? c.b : kOne, c.c, c.c})
        input.push_back(value);
    for (uint64_t found : runPtx<uint64_t>(kernelOf(body), input, 64))
      REQUIRE(found == c.expected);
  }
}

TEST_CASE("what mma.sync lacks is named") {
  auto refusal = [](const std::string &modifiers, const std::string &target) {
    std::string body = ".reg .b32 %a<4>, %c<4>;\nmma.sync.aligned." + modifiers +
                       " {%c0,%c1,%c2,%c3}, {%a0,%a1,%a2,%a3}, {%a0,%a1}, {%c0,%c1,%c2,%c3};\n";
    PtxRun how;
    how.target = target;
    PtxOutcome outcome = runPtxBytes(kernelOf(body, target), {}, 4, how);
    REQUIRE(outcome.fault);
    CHECK(outcome.fault->kind == FaultKind::Illegal);
    return outcome.fault->message;
  };
  CHECK(refusal("m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32", "sm_90a").find("sm_120f (12.x)") !=
        std::string::npos);
  CHECK(refusal("m16n8k32.row.col.f32.e2m1.e2m1.f32", "sm_120a").find("kind::f8f6f4") != std::string::npos);
  CHECK(refusal("m16n8k16.row.col.f32.bf16.f16.f32", "sm_90a").find("do not go together") !=
        std::string::npos);
}
