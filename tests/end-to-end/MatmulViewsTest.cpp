// Products of matrices that lie in wider ones. What lies between their rows holds codes of NaN, too: none of
// it gets into a sum, and nothing beside the rows of c is written.
#include "runtime/jit/DeviceCompilation.h"
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/KernelText.h"
#include "tests/end-to-end/MatrixData.h"

#include <catch2/catch.hpp>

using namespace mxc;
using Placements = GuardedArguments::Placements;

namespace {

struct ProductShape {
  int64_t m, n, k, batches = 1;
};

/// Finite codes; scales around 1, those of the padding too.
class Operands {
public:
  explicit Operands(const ProductShape &shape)
      : a_(codes(shape.batches * shape.m * shape.k, 1)), b_(codes(shape.batches * shape.n * shape.k, 2)),
        scalesA_(scales(shape.batches, shape.m, shape.k, 3)),
        scalesB_(scales(shape.batches, shape.n, shape.k, 4)) {}

  HostTensors tensors() const { return {{"a", a_}, {"sa", scalesA_}, {"b", b_}, {"sb", scalesB_}}; }

private:
  static std::vector<std::byte> codes(int64_t count, uint64_t seed) {
    std::vector<std::byte> bytes = randomBytes(static_cast<size_t>(count), seed);
    for (std::byte &byte : bytes)
      if ((byte & std::byte{0x7F}) == std::byte{0x7F}) byte ^= std::byte{1}; // NaN
    return bytes;
  }
  static std::vector<std::byte> scales(int64_t batches, int64_t rows, int64_t k, uint64_t seed) {
    int64_t bytesOfOne = scaleCount(ScaleLayout::Tcgen05, rows, (k + 31) / 32);
    std::vector<std::byte> bytes = randomBytes(static_cast<size_t>(batches * bytesOfOne), seed);
    for (std::byte &byte : bytes)
      byte = std::byte{120} | (byte & std::byte{7});
    return bytes;
  }

  std::vector<std::byte> a_, b_, scalesA_, scalesB_;
};

std::string checkProduct(const Kernel &kernel, const MatmulText &text, const ProductShape &shape,
                         const Placements &placements, const std::string &expectedTile) {
  Operands operands(shape);
  RunCase run;
  run.inputs = operands.tensors();
  run.dimensions = {{"M", shape.m}, {"N", shape.n}, {"K", shape.k}};
  if (shape.batches > 1) run.dimensions["B"] = shape.batches;
  run.placements = placements;
  const std::vector<std::byte> bias = matrixData(FloatType::BF16, 1, shape.n, 5, /*finite=*/true);
  std::optional<Prologue> region;
  if (text.hasBias) {
    run.inputs["bias"] = bias;
    run.prologue = &region.emplace(Prologue::parse(text.text()).value());
  }
  RunOutcome outcome = runChecked(kernel, run);
  std::string failure = outcome.failure + tileFailure(outcome.tile, expectedTile);
  return failure.empty() ? "" : "<" + outcome.tile + ">\n" + failure;
}

/// "" is what the heuristics choose.
std::vector<std::string> tilesOf(const std::string &target) {
  if (target == "sm_120a") return {"", "n = 64, stages = 2, buffers = 1"};
  std::vector<std::string> tiles = {"", "m = 256, n = 128, ctas = 2, stages = 3"};
  if (target != "sm_90a")
    tiles.insert(tiles.end(), {"n = 64, slices = 2", "m = 256, n = 64, ctas = 2, scheduler = clc"});
  return tiles;
}

constexpr const char *kElements = "load = element"; // the tile that takes everything

// There a tile of its own kind, which has no such members, takes products of few rows at any address of c.
bool prefersFewRows() { return targetFor(testDevice()) == "sm_90a"; }

} // namespace

TEST_CASE("matmul: rows of wider matrices", "[small][simulated]") {
  struct Case {
    ProductShape shape;
    Placements placements;
    std::string chosen; // of the tiles without --tile, but on sm_90a
  };
  const Case cases[] = {
      {{130, 72, 208}, {{"a", {224, 0}}, {"b", {256, 16}}, {"c", {80, 8}}}, "load = tensor, store = tensor"},
      {{130, 72, 208}, {{"a", {224, 0}}, {"b", {256, 16}}, {"c", {75, 0}}}, "load = tensor, store = rows"},
      {{130, 72, 208}, {{"c", {80, 1}}}, "load = tensor, store = rows"},
      {{130, 72, 208}, {{"a", {209, 0}}, {"c", {80, 0}}}, kElements},
      {{130, 72, 208}, {{"b", {224, 1}}}, kElements},
      {{130, 61, 336},
       {{"a", {352, 0}}, {"c", {64, 0}}},
       "store = rows"}, // what a box stores is whole 16 bytes
      {{5, 72, 336}, {{"a", {352, 0}}, {"b", {352, 32}}, {"c", {80, 0}}}, ""},
      {{1, 1, 33}, {{"a", {67, 3}}, {"b", {35, 5}}, {"c", {9, 1}}}, kElements},
  };
  MatmulText text;
  text.isStrided = true;
  for (const std::string &tile : tilesOf(targetFor(testDevice()))) {
    Kernel kernel = compileForDevice(text.text(), tile).kernel();
    for (const Case &c : cases) {
      INFO(c.shape.m << "x" << c.shape.n << "x" << c.shape.k << ", tile <" << tile << ">");
      const bool isKnown = tile.empty() && (!prefersFewRows() || c.chosen == kElements);
      CHECK(checkProduct(kernel, text, c.shape, c.placements, isKnown ? c.chosen : "") == "");
    }
  }
}

TEST_CASE("matmul: batches of wider and higher matrices", "[small][simulated]") {
  MatmulText text;
  text.isBatched = text.isStrided = true;
  const Placements wide = {{"a", {224, 0, 133}}, {"b", {208, 16, 75}}, {"c", {80, 0, 141}}},
                   odd = {{"a", {209, 0, 133}}, {"c", {73, 1, 131}}};
  for (const std::string &tile : tilesOf(targetFor(testDevice()))) {
    Kernel kernel = compileForDevice(text.text(), tile).kernel();
    INFO("tile <" << tile << ">");
    const bool isFewRows = tile.empty() && prefersFewRows();
    CHECK(checkProduct(kernel, text, {130, 72, 208, 3}, wide, isFewRows ? "" : "load = tensor") == "");
    CHECK(checkProduct(kernel, text, {130, 72, 208, 3}, odd, kElements) == "");
  }
}

TEST_CASE("matmul: an epilogue's row of biases at any address", "[small][simulated]") {
  MatmulText text;
  text.hasBias = true;
  const std::string target = targetFor(testDevice());
  for (const std::string &tile : tilesOf(target)) {
    Kernel kernel = compileForDevice(text.text(), tile).kernel();
    INFO("tile <" << tile << ">");
    const bool isFewRows = tile.empty() && prefersFewRows();
    CHECK(checkProduct(kernel, text, {130, 200, 208}, {}, isFewRows ? "" : "load = tensor, store = tensor") ==
          "");
    const bool hasRows = target != "sm_90a" && target != "sm_120a"; // there elements of two rows are a lane's
    const bool isChosen = tile.empty() && hasRows;
    CHECK(checkProduct(kernel, text, {130, 200, 208}, {{"bias", {0, 1}}}, isChosen ? "store = rows" : "") ==
          "");
  }
}
