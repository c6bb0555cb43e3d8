// mx.combine and mx.gather_dot: types, numbers of rows, weights, sizes, and entries that name no row.
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/MatrixData.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <limits>
#include <random>

using namespace mxc;

namespace {

struct NamedCase {
  int64_t rows, columns, inputRows;
};

std::string matrix(const std::string &element) { return "memref<?x?x" + element + ", strided<[?, 1]>>"; }

std::string combineText(const std::string &input, const std::string &output, int count, bool hasWeights) {
  std::string table = "memref<?x" + std::to_string(count), rows = table + "xi32>", weights = table + "xf32>";
  return "mx.kernel @k(%h: " + matrix(input) + ", %rows: " + rows +
         (hasWeights ? ", %w: " + weights : std::string()) + ", %y: " + matrix(output) +
         ") {\n  mx.combine ins(%h : " + matrix(input) + ") gather(%rows : " + rows + ")" +
         (hasWeights ? " weights(%w : " + weights + ")" : std::string()) + " outs(%y : " + matrix(output) +
         ")\n}\n";
}

std::string dotText(const std::string &left, const std::string &right, int count) {
  std::string table = "memref<?x" + std::to_string(count), rows = table + "xi32>", dots = table + "xf32>";
  return "mx.kernel @k(%dy: " + matrix(left) + ", %h: " + matrix(right) + ", %rows: " + rows +
         ", %y: " + dots + ") {\n  mx.gather_dot ins(%dy, %h : " + matrix(left) + ", " + matrix(right) +
         ") gather(%rows : " + rows + ") outs(%y : " + dots + ")\n}\n";
}

/// Rows of the matrix, repeated too, and every sixth entry none.
std::vector<int32_t> namedRows(size_t count, int64_t inputRows, uint32_t seed) {
  const int32_t none[] = {-1, int32_t(inputRows), std::numeric_limits<int32_t>::min(),
                          std::numeric_limits<int32_t>::max()};
  std::mt19937 random(seed);
  std::vector<int32_t> rows(count);
  for (int32_t &row : rows)
    row = inputRows == 0 || random() % 6 == 0 ? none[random() % 4] : int32_t(random() % uint32_t(inputRows));
  return rows;
}

std::span<const std::byte> bytesOf(const std::vector<int32_t> &integers) {
  return std::as_bytes(std::span(integers));
}

int64_t countOf(const Kernel &kernel) {
  return *kernel.abi().argumentOf(ArgumentRole::Index)->shape[1].constant();
}

/// "" or the failure, on data that holds NaN, infinities and subnormals, weights too.
std::string check(const Kernel &kernel, NamedCase c, const std::string &tile,
                  GuardedArguments::Placements placements = {}) {
  const KernelAbi &abi = kernel.abi();
  std::map<std::string, std::vector<std::byte>> data;
  uint64_t seed = 3;
  for (const AbiArgument *argument : abi.argumentsOf(ArgumentRole::Data, /*areOutputs=*/false)) {
    const bool isNamed = argument->name == "h", isTable = argument->name == "w";
    data[argument->name] = matrixData(floatTypeNamed(argument->type), isNamed ? c.inputRows : c.rows,
                                      isTable ? countOf(kernel) : c.columns, seed++);
  }
  const std::vector<int32_t> rows = namedRows(size_t(c.rows * countOf(kernel)), c.inputRows, 5);
  RunCase run;
  for (const auto &[name, bytes] : data)
    run.inputs[name] = bytes;
  run.inputs["rows"] = bytesOf(rows);
  run.dimensions = {{"M", c.rows}, {"K", c.columns}, {"N", c.inputRows}};
  run.placements = std::move(placements);
  RunOutcome outcome = runChecked(kernel, run);
  outcome.failure += tileFailure(outcome.tile, tile);
  if (outcome.failure.empty()) return {};
  return abi.operation.name + " " + std::to_string(c.rows) + "x" + std::to_string(c.columns) + " of " +
         std::to_string(c.inputRows) + " rows, " + std::to_string(countOf(kernel)) + " each <" +
         outcome.tile + ">\n" + outcome.failure;
}

void checkShapes(const Kernel &kernel) {
  CHECK(check(kernel, {5, 8, 7}, "access = vector") == "");
  CHECK(check(kernel, {67, 264, 50}, "access = vector") == "");
  CHECK(check(kernel, {3, 2056, 4}, "access = vector") == "");
  CHECK(check(kernel, {1, 1, 1}, "access = element") == "");
  CHECK(check(kernel, {9, 301, 12}, "access = element") == "");
  CHECK(check(kernel, {6, 40, 0}, "access = element") == ""); // no row at all
  CHECK(check(kernel, {0, 40, 3}, "") == "");
  CHECK(check(kernel, {4, 0, 3}, "") == "");
}

std::vector<std::byte> integerRows(int64_t rows, int64_t columns) { // of f32: row r has 8 r + column % 5
  std::vector<std::byte> bytes(size_t(4 * rows * columns));
  for (int64_t i = 0; i < rows * columns; ++i)
    storeFloat(FloatType::F32, bytes.data(), i, float(8 * (i / columns) + i % columns % 5));
  return bytes;
}

} // namespace

TEST_CASE("combine: types x numbers of rows x shapes", "[small][simulated][family][chip]") {
  struct Types {
    const char *input, *output;
    int count;
    bool hasWeights;
  };
  for (auto [input, output, count, hasWeights] : {Types{"bf16", "bf16", 8, true},
                                                  {"bf16", "f32", 1, true},
                                                  {"f32", "bf16", 3, true},
                                                  {"f16", "f16", 16, true},
                                                  {"bf16", "bf16", 2, false},
                                                  {"f32", "f32", 6, false}})
    checkShapes(compileForDevice(combineText(input, output, count, hasWeights)).kernel());
}

TEST_CASE("gather_dot: types x numbers of rows x shapes", "[small][simulated][family]") {
  struct Types {
    const char *left, *right;
    int count;
  };
  for (auto [left, right, count] :
       {Types{"bf16", "bf16", 8}, {"bf16", "f32", 1}, {"f32", "f16", 3}, {"f32", "f32", 16}})
    checkShapes(compileForDevice(dotText(left, right, count)).kernel());
}

TEST_CASE("combine and gather_dot: rows that lie apart, and at odd addresses", "[small][simulated][family]") {
  Kernel combine = compileForDevice(combineText("bf16", "bf16", 4, true)).kernel(),
         dot = compileForDevice(dotText("bf16", "bf16", 4)).kernel();
  CHECK(check(combine, {20, 264, 30}, "access = vector", {{"h", {272, 0}}, {"y", {280, 0}}}) == "");
  CHECK(check(combine, {20, 264, 30}, "access = element", {{"h", {265, 0}}}) == "");
  CHECK(check(combine, {20, 264, 30}, "access = element", {{"y", {264, 2}}}) == "");
  CHECK(check(dot, {20, 264, 30}, "access = vector", {{"dy", {272, 0}}, {"h", {280, 0}}}) == "");
  CHECK(check(dot, {20, 264, 30}, "access = element", {{"dy", {264, 2}}}) == "");
}

// Sums of small integers are exact in any order: no other arithmetic than the test's own.
TEST_CASE("combine and gather_dot: integers", "[small][simulated][family]") {
  constexpr int64_t kRows = 6, kColumns = 40, kInputRows = 9, kCount = 3;
  const std::vector<std::byte> h = integerRows(kInputRows, kColumns), dy = integerRows(kRows, kColumns),
                               w = integerRows(kRows, kCount);
  const std::vector<int32_t> rows = namedRows(kRows * kCount, kInputRows, 11);
  auto at = [&](const std::vector<std::byte> &matrix, int64_t row, int64_t column, int64_t columns) {
    return loadFloat(FloatType::F32, matrix.data(), row * columns + column);
  };
  auto isRow = [&](int64_t i) { return rows[size_t(i)] >= 0 && rows[size_t(i)] < kInputRows; };
  RunCase run;
  run.inputs = {{"h", h}, {"w", w}, {"rows", bytesOf(rows)}};
  run.dimensions = {{"M", kRows}, {"K", kColumns}, {"N", kInputRows}};
  RunOutcome sums = runChecked(compileForDevice(combineText("f32", "f32", kCount, true)).kernel(), run);
  CHECK(sums.failure == "");
  run.inputs = {{"h", h}, {"dy", dy}, {"rows", bytesOf(rows)}};
  RunOutcome dots = runChecked(compileForDevice(dotText("f32", "f32", kCount)).kernel(), run);
  CHECK(dots.failure == "");
  for (int64_t t = 0; t < kRows; ++t) {
    for (int64_t k = 0; k < kColumns; ++k) {
      float sum = 0;
      for (int64_t i = kCount * t; i < kCount * (t + 1); ++i)
        if (isRow(i)) sum += at(w, t, i % kCount, kCount) * at(h, rows[size_t(i)], k, kColumns);
      REQUIRE(at(sums.outputs.at("y"), t, k, kColumns) == sum);
    }
    for (int64_t i = kCount * t; i < kCount * (t + 1); ++i) {
      float dot = 0;
      for (int64_t k = 0; isRow(i) && k < kColumns; ++k)
        dot += at(dy, t, k, kColumns) * at(h, rows[size_t(i)], k, kColumns);
      REQUIRE(at(dots.outputs.at("y"), t, i % kCount, kCount) == dot);
    }
  }
}
