// Two matrices are quantized by a kernel, and its codes and scales multiplied as they are: every pair of
// extents, of which some are ragged and some make several tiles; within the bound of the product in f64, with
// the same bits under schedules that differ.
#include "runtime/jit/DeviceCompilation.h"
#include "runtime/simulator/driver/Control.h"
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/KernelText.h"
#include "tests/end-to-end/MatrixData.h"

#include <catch2/catch.hpp>

#include <array>

using namespace mxc;

namespace {

constexpr int64_t kExtents[] = {1, 96, 128, 200, 256, 384, 1024};
constexpr int64_t kPairedExtents[] = {1, 96, 128, 200, 256, 384, 520}; // up to three tiles, ragged ones

struct Product {
  int64_t m, n, k;
};

/// All pairs of extents, each once: k follows from m and n.
std::vector<Product> everyPair() {
  std::vector<Product> products;
  for (size_t i = 0; i < std::size(kPairedExtents); ++i)
    for (size_t j = 0; j < std::size(kPairedExtents); ++j)
      products.push_back(
          {kPairedExtents[i], kPairedExtents[j], kPairedExtents[(i + j) % std::size(kPairedExtents)]});
  return products;
}

std::vector<Product> everyTriple() {
  std::vector<Product> products;
  for (int64_t m : kExtents)
    for (int64_t n : kExtents)
      for (int64_t k : kExtents)
        products.push_back({m, n, k});
  return products;
}

std::string imageFor(const std::string &source, const std::string &tile) {
  CompileOptions options;
  options.tile = tile;
  return compileFor(testDevice(), source, "kernel", options).output;
}

/// What one run leaves: codes and scales of both operands, and c.
struct Results {
  std::map<std::string, std::vector<std::byte>, std::less<>> tensors;
  std::string tile;
};

Results run(const Device &device, const std::string &quantizer, const std::string &matmul, const Product &p) {
  auto load = [&](const std::string &image) {
    return Module::fromImage(device, std::as_bytes(std::span(image))).kernel();
  };
  Kernel quantize = load(quantizer), multiply = load(matmul);
  Stream stream(device);
  std::map<std::string, GuardedTensor, std::less<>> tensors;
  auto tensor = [&](const std::string &name, const std::string &type, std::vector<int64_t> shape) {
    return tensors.try_emplace(name, device, type, shape).first->second.view();
  };
  Arguments arguments;
  for (auto [name, rows, seed] : {std::tuple("a", p.m, 5), std::tuple("b", p.n, 6)}) {
    std::string own = name;
    TensorView x = tensor("x" + own, "bf16", {rows, p.k}), codes = tensor(own, "e4m3", {rows, p.k}),
               scales = tensor("s" + own, "ue8m0", {scaleCount(ScaleLayout::Tcgen05, rows, (p.k + 31) / 32)});
    tensors.at("x" + own).upload(matrixData(FloatType::BF16, rows, p.k, uint64_t(seed), /*finite=*/true));
    quantize.launch({{"x", x}, {"q", codes}, {"s", scales}}, {.stream = stream});
    arguments.push_back({own, codes});
    arguments.push_back({"s" + own, scales});
  }
  arguments.push_back({"c", tensor("c", "bf16", {p.m, p.n})});
  PreparedLaunch launch = multiply.prepare(arguments, {.pdl = true});
  launch.launch(stream);
  stream.synchronize();
  Results results;
  results.tile = launch.plan().variant->tile;
  for (auto &[name, tensor] : tensors) {
    if (tensor.firstDamage()) results.tile += ", wrote beside " + name;
    results.tensors[name] = tensor.download();
  }
  return results;
}

/// "" or what is wrong, of the product and of the operands that it was made of.
std::string failureOf(const Results &results, const KernelAbi &quantize, const KernelAbi &multiply,
                      const Product &p) {
  auto view = [&](const std::string &name) { return std::span<const std::byte>(results.tensors.at(name)); };
  std::string text = results.tile.find("wrote beside") == std::string::npos ? "" : results.tile + "\n";
  auto compare = [&](const KernelAbi &abi, const Dimensions &dimensions, const HostTensors &inputs,
                     const HostTensors &found) {
    for (const OutputComparison &output :
         compareOutputs(abi, dimensions, referenceOf(abi, dimensions, inputs), found))
      if (output.wrong) text += output.name + ": " + output.firstWrong.front() + "\n";
  };
  compare(quantize, {{"M", p.m}, {"K", p.k}}, {{"x", view("xa")}}, {{"q", view("a")}, {"s", view("sa")}});
  compare(quantize, {{"M", p.n}, {"K", p.k}}, {{"x", view("xb")}}, {{"q", view("b")}, {"s", view("sb")}});
  compare(multiply, {{"M", p.m}, {"N", p.n}, {"K", p.k}},
          {{"a", view("a")}, {"sa", view("sa")}, {"b", view("b")}, {"sb", view("sb")}}, {{"c", view("c")}});
  return text;
}

KernelAbi abiOf(const std::string &image) { return abiFromImage(image).front().kernels.front(); }

std::vector<std::string> tilesOf(const std::string &target) {
  if (target == "sm_120a") return {"n = 64, stages = 2, buffers = 1"};
  return {"n = 128, stages = 3", "m = 256, n = 128, ctas = 2, stages = 3"};
}

/// Runs `body` under each schedule with strict checks; on a GPU once. The simulator's options end as they
/// were.
void underSchedules(const std::string &target, std::span<const sim::Schedule> schedules, auto body) {
  if (!isSimulated()) return body();
  const sim::Options before = sim::simulatorOptions(target);
  for (sim::Schedule schedule : schedules) {
    sim::Options options = before;
    options.checks = sim::Checks::Strict, options.schedule = schedule;
    sim::setSimulatorOptions(target, options);
    INFO("schedule " << int(schedule.kind) << ", seed " << schedule.seed);
    body();
  }
  sim::setSimulatorOptions(target, before);
}

/// Each product by one of the tiles, or by every one; under two schedules, of which one is random.
void checkAll(const std::vector<Product> &products, bool everyTile) {
  using Kind = sim::Schedule::Kind;
  const std::string target = targetFor(testDevice());
  const std::string quantizer = imageFor(QuantizeText().text(), "");
  const std::vector<std::string> tiles = tilesOf(target);
  for (size_t tile = 0; tile < tiles.size(); ++tile) {
    const std::string matmul = imageFor(MatmulText().text(), tiles[tile]);
    uint64_t seed = 0;
    for (const Product &p : products) {
      if (++seed % tiles.size() != tile && !everyTile) continue;
      INFO(p.m << "x" << p.n << "x" << p.k << ", tile <" << tiles[tile] << ">");
      const sim::Schedule extreme{seed / tiles.size() % 2 ? Kind::Eager : Kind::Lazy, 0};
      std::vector<std::byte> first;
      underSchedules(target, std::array{extreme, sim::Schedule{Kind::Random, seed}}, [&] {
        Results results = run(testDevice(), quantizer, matmul, p);
        if (first.empty()) CHECK(failureOf(results, abiOf(quantizer), abiOf(matmul), p) == "");
        if (first.empty()) first = results.tensors.at("c");
        CHECK((results.tensors.at("c") == first));
      });
    }
  }
}

} // namespace

TEST_CASE("matmul: quantized matrices of every pair of extents", "[simulated]") {
  checkAll(everyPair(), /*everyTile=*/false);
}

TEST_CASE("matmul: quantized matrices of every three extents", "[.][extents]") {
  checkAll(everyTriple(), /*everyTile=*/true);
}
