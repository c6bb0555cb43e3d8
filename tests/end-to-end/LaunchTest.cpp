// Launches that depend on each other, by programmatic dependent launch and otherwise.
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/KernelText.h"
#include "tests/end-to-end/MatrixData.h"

#include "runtime/device/Graph.h"
#include "runtime/jit/Engine.h"

#include <catch2/catch.hpp>

using namespace mxc;

namespace {

/// x -> (q, s) -> y -> (q, s) -> ...: every launch reads what the one before it wrote.
class Chain {
public:
  Chain(Shape shape, const std::string &tile)
      : device_(testDevice()), quantize_(compileForDevice(QuantizeText().text(), tile).kernel()),
        dequantize_(compileForDevice(DequantizeText().text()).kernel()),
        data_(matrixData(FloatType::BF16, shape.rows, shape.columns, 9)),
        x_(device_, "bf16", {shape.rows, shape.columns}), q_(device_, "e4m3", {shape.rows, shape.columns}),
        s_(device_, "ue8m0", {scaleCount(ScaleLayout::Tcgen05, shape.rows, (shape.columns + 31) / 32)}),
        dimensions_{{"M", shape.rows}, {"K", shape.columns}} {
    x_.upload(data_);
  }

  void launch(const Stream &stream, int rounds, bool pdl) {
    PreparedLaunch forth =
        quantize_.prepare({{"x", x_.view()}, {"q", q_.view()}, {"s", s_.view()}}, {.pdl = pdl});
    PreparedLaunch back =
        dequantize_.prepare({{"q", q_.view()}, {"s", s_.view()}, {"y", x_.view()}}, {.pdl = pdl});
    for (int i = 0; i < rounds; ++i) {
      forth.launch(stream);
      back.launch(stream);
    }
    stream.synchronize();
  }

  std::string failure(int rounds) const {
    std::vector<std::byte> x = data_;
    KernelReference forth, back;
    for (int i = 0; i < rounds; ++i) {
      forth = referenceOf(quantize_.abi(), dimensions_, {{"x", x}});
      back = referenceOf(dequantize_.abi(), dimensions_,
                         {{"q", std::as_bytes(std::span(forth.outputs["q"]))},
                          {"s", std::as_bytes(std::span(forth.outputs["s"]))}});
      auto bytes = std::as_bytes(std::span(back.outputs["y"]));
      x.assign(bytes.begin(), bytes.end());
    }
    std::vector<std::byte> q = q_.download(), s = s_.download(), y = x_.download();
    std::string text;
    for (const auto &output : compareOutputs(quantize_.abi(), dimensions_, forth, {{"q", q}, {"s", s}}))
      if (output.wrong) text += output.firstWrong.front() + "\n";
    for (const auto &output : compareOutputs(dequantize_.abi(), dimensions_, back, {{"y", y}}))
      if (output.wrong) text += output.firstWrong.front() + "\n";
    return text;
  }

private:
  Device device_;
  Kernel quantize_, dequantize_;
  std::vector<std::byte> data_;
  GuardedTensor x_, q_, s_;
  Dimensions dimensions_;
};

} // namespace

TEST_CASE("launches back to back, with and without PDL, see what the one before wrote") {
  for (bool pdl : {false, true})
    for (const char *tile : {"", "variant = bulk"})
      for (Shape shape : {Shape{300, 4096}, Shape{17, 33}}) {
        INFO("pdl " << pdl << ", tile <" << tile << ">, " << text(shape));
        Chain chain(shape, tile);
        Stream stream(testDevice());
        chain.launch(stream, 50, pdl);
        CHECK(chain.failure(4) == ""); // the fourth round's results stay: they are values of the format
      }
}

/// Loading allocates, and a launch of a kernel whose code is not on the device yet does: neither may break
/// the capture.
TEST_CASE("a kernel compiled, loaded and launched for the first time into a graph", "[simulated]") {
  EngineOptions uncached;
  uncached.cache.reset();
  Engine engine(testDevice(), uncached);
  const Shape shape{128, 1024};
  GuardedTensor x(testDevice(), "bf16", {shape.rows, shape.columns}),
      q(testDevice(), "e4m3", {shape.rows, shape.columns}),
      s(testDevice(), "ue8m0", {scaleCount(ScaleLayout::Tcgen05, shape.rows, shape.columns / 32)});
  const std::vector<std::byte> data = matrixData(FloatType::BF16, shape.rows, shape.columns, 5);
  x.upload(data);
  Stream stream(testDevice());
  std::optional<Kernel> kernel;
  Graph graph = Graph::capture(stream, [&] {
    kernel = engine.load(QuantizeText().text(), "captured.mlir").kernel();
    kernel->launch({{"x", x.view()}, {"q", q.view()}, {"s", s.view()}}, {.stream = stream});
  });
  graph.launch(stream);
  stream.synchronize();
  const Dimensions dimensions = {{"M", shape.rows}, {"K", shape.columns}};
  const KernelReference expected = referenceOf(kernel->abi(), dimensions, {{"x", data}});
  const std::vector<std::byte> codes = q.download(), scales = s.download();
  for (const OutputComparison &output :
       compareOutputs(kernel->abi(), dimensions, expected, {{"q", codes}, {"s", scales}}))
    CHECK(output.wrong == 0);
}
