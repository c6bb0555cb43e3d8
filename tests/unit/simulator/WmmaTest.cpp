// wmma.load, wmma.mma and wmma.store together: any layout of fragments will do, the product must be right.
// All numbers are small integers, which every format holds and every sum gives exactly.
#include "tests/unit/simulator/RunPtx.h"

#include <catch2/catch.hpp>

using namespace mxc::sim;

namespace {

struct Types {
  const char *d, *a, *b, *c;
  int lowest, highest; // of the elements
};
struct Shape {
  const char *name;
  int m, n, k;
};

int bitsOfType(const std::string &type) { return std::stoi(type.substr(type.find_first_of("123468"))); }

uint64_t encoded(const std::string &type, int value) {
  if (type == "f64") return __builtin_bit_cast(uint64_t, double(value));
  if (type == "f32" || type == "tf32") return __builtin_bit_cast(uint32_t, float(value));
  if (type == "bf16") return __builtin_bit_cast(uint32_t, float(value)) >> 16;
  if (type == "f16") return __builtin_bit_cast(uint16_t, _Float16(value));
  return uint64_t(int64_t(value));
}

int decoded(const std::string &type, uint64_t bits) {
  if (type == "f64") return int(__builtin_bit_cast(double, bits));
  if (type == "f32") return int(__builtin_bit_cast(float, uint32_t(bits)));
  if (type == "f16") return int(float(__builtin_bit_cast(_Float16, uint16_t(bits))));
  return int(uint32_t(bits));
}

/// A matrix in memory, rows or columns one after the other with a gap between them.
struct Matrix {
  std::string type;
  int rows, columns, stride;
  bool isRowMajor;
  std::vector<int> values;
  size_t offset = 0; // in the buffer

  Matrix(const char *type, int rows, int columns, bool isRowMajor)
      : type(type), rows(rows), columns(columns), isRowMajor(isRowMajor) {
    stride = (isRowMajor ? columns : rows) + 32;
    values.resize(size_t(rows * columns));
  }
  size_t bytes() const {
    return size_t((isRowMajor ? rows : columns) * stride * bitsOfType(type) + 7) / 8 + 32;
  }
  size_t firstBit(int row, int column) const {
    return size_t(isRowMajor ? row * stride + column : column * stride + row) * size_t(bitsOfType(type));
  }
  void write(std::vector<std::byte> &buffer) const {
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column) {
        const uint64_t bits = encoded(type, values[size_t(row * columns + column)]);
        for (int bit = 0; bit < bitsOfType(type); ++bit) {
          const size_t at = offset * 8 + firstBit(row, column) + size_t(bit);
          buffer[at / 8] |= std::byte((bits >> bit & 1) << at % 8);
        }
      }
  }
  int read(const std::vector<std::byte> &buffer, int row, int column) const {
    uint64_t bits = 0;
    std::memcpy(&bits, &buffer[firstBit(row, column) / 8], size_t(bitsOfType(type)) / 8);
    return decoded(type, bits);
  }
  std::string stridedAddress(const char *base) const {
    return "[" + std::string(base) + "+" + std::to_string(offset) + "], " + std::to_string(stride);
  }
  const char *layout() const { return isRowMajor ? "row" : "col"; }
};

std::string registers(const char *prefix, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i)
    text += (i ? ", %" : "%") + std::string(prefix) + std::to_string(i);
  return text + "}";
}

struct Product {
  Types types;
  Shape shape;
  bool aRows, bRows, cRows, isShared;

  std::string suffix(const char *type) const { return "." + std::string(shape.name) + space() + "." + type; }
  const char *space() const { return isShared ? ".shared" : ".global"; }
  int operandRegisters(int rows, const std::string &type) const {
    if (type == "f16") return 8;
    return type == "f64" ? 1 : rows * shape.k * bitsOfType(type) / 1024;
  }
  int sumRegisters(const std::string &type) const { return shape.m * shape.n / 32 / (type == "f16" ? 2 : 1); }

  std::string text(const Matrix &a, const Matrix &b, const Matrix &c, const Matrix &d, size_t bytes) const {
    const std::string width = std::string(types.d) == "f64" ? ".b64" : ".b32", type(types.a);
    std::string body;
    for (const char *prefix : {"a", "b", "c", "d"})
      body += ".reg " + width + " %" + prefix + "<8>;\n";
    body += ".reg .b64 %from, %to; .reg .b32 %t, %w; .reg .pred %p; mov.b64 %from, %in; mov.b64 %to, %out;\n";
    if (isShared) // the operands by way of shared memory; the sums straight out of it
      body += ".shared .align 32 .b8 data[" + std::to_string(bytes) + "]; mov.u32 %t, %tid.x;\n" +
              "mul.lo.u32 %t, %t, 4; mov.u64 %from, data;\n" +
              "copy: cvt.u64.u32 %to, %t; add.u64 %from, %in, %to; ld.global.b32 %w, [%from];\n" +
              "mov.u64 %from, data; add.u64 %from, %from, %to; st.shared.b32 [%from], %w;\n" +
              "add.u32 %t, %t, 128; setp.lt.u32 %p, %t, " + std::to_string(bytes) + "; @%p bra copy;\n" +
              "bar.warp.sync -1; mov.u64 %from, data; mov.b64 %to, %out;\n";
    const std::string load = "wmma.load.", aligned = ".sync.aligned.";
    body += load + "a" + aligned + a.layout() + suffix(types.a) + " " +
            registers("a", operandRegisters(shape.m, types.a)) + ", " + a.stridedAddress("%from") + ";\n";
    body += load + "b" + aligned + b.layout() + suffix(types.b) + " " +
            registers("b", operandRegisters(shape.n, types.b)) + ", " + b.stridedAddress("%from") + ";\n";
    body += load + "c" + aligned + c.layout() + suffix(types.c) + " " +
            registers("c", sumRegisters(types.c)) + ", " + c.stridedAddress("%from") + ";\n";
    body += "wmma.mma" + std::string(type == "b1" ? ".xor.popc" : "") + aligned + a.layout() + "." +
            b.layout() + "." + shape.name + (type == "f64" ? ".rn" : "") + "." + types.d +
            (type == "f16" ? "" : "." + type + "." + types.b) + "." + types.c + " " +
            registers("d", sumRegisters(types.d)) + ", " +
            registers("a", operandRegisters(shape.m, types.a)) + ", " +
            registers("b", operandRegisters(shape.n, types.b)) + ", " +
            registers("c", sumRegisters(types.c)) + ";\n";
    body += "wmma.store.d" + aligned + d.layout() + "." + shape.name + ".global." + types.d + " " +
            "[%to], " + registers("d", sumRegisters(types.d)) + ", " + std::to_string(d.stride) + ";\n";
    return kernelOf(body, "sm_90a");
  }

  void check() const {
    Matrix a(types.a, shape.m, shape.k, aRows), b(types.b, shape.k, shape.n, bRows),
        c(types.c, shape.m, shape.n, cRows), d(types.d, shape.m, shape.n, !cRows);
    uint32_t state = 7;
    auto next = [&](int lowest, int highest) {
      state = state * 1664525 + 1013904223;
      return lowest + int(state >> 8) % (highest - lowest + 1);
    };
    size_t end = 0;
    for (Matrix *matrix : {&a, &b, &c}) {
      for (int &value : matrix->values)
        value = matrix == &c ? next(0, 9) : next(types.lowest, types.highest);
      matrix->offset = end;
      end += (matrix->bytes() + 31) / 32 * 32;
    }
    end = (end + 127) / 128 * 128;
    std::vector<std::byte> buffer(end);
    for (const Matrix *matrix : {&a, &b, &c})
      matrix->write(buffer);
    PtxRun how;
    how.target = "sm_90a", how.checks = Checks::Strict;
    const std::string ptx = text(a, b, c, d, end);
    INFO(ptx);
    PtxOutcome outcome = runPtxBytes(ptx, buffer, d.bytes(), how);
    REQUIRE_FALSE(outcome.fault);
    bool isRight = true;
    for (int row = 0; row < shape.m; ++row)
      for (int column = 0; column < shape.n; ++column) {
        int sum = c.values[size_t(row * shape.n + column)];
        for (int k = 0; k < shape.k; ++k) {
          const int x = a.values[size_t(row * shape.k + k)], y = b.values[size_t(k * shape.n + column)];
          sum += std::string(types.a) == "b1" ? x ^ y : x * y;
        }
        isRight &= d.read(outcome.output, row, column) == sum;
      }
    CHECK(isRight);
  }
};

constexpr Shape kWide[] = {{"m16n16k16", 16, 16, 16}, {"m8n32k16", 8, 32, 16}, {"m32n8k16", 32, 8, 16}};

} // namespace

TEST_CASE("wmma multiplies matrices of every shape, type and layout") {
  const Types types =
      GENERATE(Types{"f32", "f16", "f16", "f32", -3, 3}, Types{"f16", "f16", "f16", "f16", -3, 3},
               Types{"f32", "f16", "f16", "f16", -3, 3}, Types{"f16", "f16", "f16", "f32", -3, 3},
               Types{"f32", "bf16", "bf16", "f32", -3, 3}, Types{"s32", "s8", "s8", "s32", -100, 100},
               Types{"s32", "u8", "u8", "s32", 0, 200});
  for (const Shape &shape : kWide)
    for (int layouts = 0; layouts < 16; ++layouts)
      Product{types, shape, bool(layouts & 1), bool(layouts & 2), bool(layouts & 4), bool(layouts & 8)}
          .check();
}

TEST_CASE("wmma of tf32, f64, four bits and one bit") {
  for (int layouts = 0; layouts < 16; ++layouts) {
    const bool a = layouts & 1, b = layouts & 2, c = layouts & 4, isShared = layouts & 8;
    Product{{"f32", "tf32", "tf32", "f32", -9, 9}, {"m16n16k8", 16, 16, 8}, a, b, c, isShared}.check();
    Product{{"f64", "f64", "f64", "f64", -99, 99}, {"m8n8k4", 8, 8, 4}, a, b, c, isShared}.check();
    if (!a || b) continue; // these have A by rows and B by columns
    Product{{"s32", "s4", "s4", "s32", -8, 7}, {"m8n8k32", 8, 8, 32}, a, b, c, isShared}.check();
    Product{{"s32", "u4", "u4", "s32", 0, 15}, {"m8n8k32", 8, 8, 32}, a, b, c, isShared}.check();
    Product{{"s32", "b1", "b1", "s32", 0, 1}, {"m8n8k128", 8, 8, 128}, a, b, c, isShared}.check();
  }
}

TEST_CASE("fragments of one shape agree element by element, whatever their layout in memory") {
  // What programs do between load and store: d.x[i] = a.x[i] + b.x[i], of accumulators, f16 among them.
  const std::string ptx = kernelOf(
      R"(
.reg .b32 %h<4>, %f<8>; .reg .b16 %low, %high; .reg .f32 %x, %y;
wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, [%in];
wmma.load.c.sync.aligned.col.m16n16k16.global.f16 {%h0, %h1, %h2, %h3}, [%in+1024];
)" +
          [] {
            std::string sums;
            for (int i = 0; i < 4; ++i)
              sums += "mov.b32 {%low, %high}, %h" + std::to_string(i) +
                      "; cvt.f32.f16 %x, %low; cvt.f32.f16 %y, %high;" + "add.f32 %f" +
                      std::to_string(2 * i) + ", %f" + std::to_string(2 * i) + ", %x;" + "add.f32 %f" +
                      std::to_string(2 * i + 1) + ", %f" + std::to_string(2 * i + 1) + ", %y;\n";
            return sums;
          }() +
          R"(
wmma.store.d.sync.aligned.col.m16n16k16.global.f32 [%out], {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7};
)",
      "sm_90a");
  std::vector<std::byte> input(1536);
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 16; ++column) {
      const auto single = float(16 * row + column);
      const auto half = _Float16(16 * column + row);
      std::memcpy(&input[size_t(16 * row + column) * 4], &single, 4);
      std::memcpy(&input[1024 + size_t(16 * column + row) * 2], &half, 2);
    }
  PtxRun how;
  how.target = "sm_90a";
  PtxOutcome outcome = runPtxBytes(ptx, input, 1024, how);
  REQUIRE_FALSE(outcome.fault);
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 16; ++column) {
      float sum;
      std::memcpy(&sum, &outcome.output[size_t(16 * column + row) * 4], 4);
      CHECK(sum == float(16 * row + column + 16 * column + row));
    }
}

TEST_CASE("a wmma that is none is refused") {
  auto faultOf = [](const std::string &instruction) {
    PtxRun how;
    how.target = "sm_90a";
    PtxOutcome outcome = runPtxBytes(kernelOf(".reg .b32 %r<8>;\n" + instruction, "sm_90a"),
                                     std::vector<std::byte>(4096), 4096, how);
    return outcome.fault ? outcome.fault->message : "";
  };
  using Catch::Contains;
  CHECK_THAT(faultOf("wmma.load.a.sync.aligned.row.m16n16k8.f16 {%r0}, [%in];"),
             Contains(".f16 does not go"));
  CHECK_THAT(faultOf("wmma.load.a.sync.aligned.row.m16n16k16.bf16 {%r0, %r1}, [%in];"),
             Contains("needs 4 registers, found 2"));
  CHECK_THAT(faultOf("wmma.load.b.sync.aligned.row.m8n8k32.s4 %r0, [%in];"), Contains("column-major B"));
  CHECK_THAT(faultOf("wmma.load.a.aligned.row.m8n8k32.s4 %r0, [%in];"), Contains(".sync.aligned"));
}
