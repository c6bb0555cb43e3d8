// The streaming kernels on the simulator: each variant moves the bytes that it says, once.
#include "runtime/device/Stream.h"
#include "runtime/launch/Kernel.h"
#include "runtime/measure/StreamingKernel.h"
#include "runtime/measure/TensorSets.h"
#include "runtime/simulator/driver/Control.h"

#include <catch2/catch.hpp>

using namespace mxc;
using namespace mxc::measure;

static AbiArgument matrix(const std::string &name, const std::string &type, bool isOutput,
                          std::vector<ShapeExpression> shape) {
  AbiArgument argument{name, type, isOutput};
  argument.shape = std::move(shape);
  return argument;
}

TEST_CASE("streaming: every variant moves all pieces once", "[bench]") {
  const Device device = openDevice("simulator:sm_90a");
  sim::Options options = sim::simulatorOptions("sm_90a");
  options.collectStatistics = true;
  sim::setChecks(options, "strict");
  sim::setSimulatorOptions("sm_90a", options);
  for (const StreamTraffic &traffic : {StreamTraffic{{16}, {8}},
                                       {{16, 16, 16, 16}, {4}},
                                       {{16, 16}, {8}},
                                       {{8}, {16}},
                                       {{16}, {8, 8}},
                                       {{4}, {16}},
                                       {{16, 16, 16, 16, 16, 16, 16}, {8}}}) {
    const std::string image = streamingImage(traffic);
    const Kernel kernel = Module::fromImage(device, std::as_bytes(std::span(image)), "streaming").kernel();
    const int64_t rows = 133, columns = 37; // no multiple of anything
    TensorSets sets(device, kernel.abi(), {{"R", rows}, {"C", columns}}, {}, {.rotatedBytes = 0});
    const Stream stream(device);
    std::vector<std::byte> first;
    for (size_t variant = 0; variant < kernel.abi().variants.size(); ++variant) {
      INFO(kernel.abi().variants[variant].tile << ", arrays " << traffic.bytesRead.size());
      sets.fillOutputs(0xEE);
      sim::takeSimulatorStatistics("sm_90a");
      kernel.prepare(sets.arguments(0), {.variant = variant}).launch(stream);
      stream.synchronize();
      const sim::Statistics counts = sim::takeSimulatorStatistics("sm_90a");
      CHECK(double(counts.globalLoadBytes) == sets.bytesRead());
      CHECK(double(counts.globalStoreBytes) == sets.bytesWritten());
      const std::vector<std::byte> result = sets.download(0, "out0");
      if (variant == 0) first = result;
      CHECK(result == first);
    }
  }
}

TEST_CASE("streaming: the traffic of kernels", "[bench]") {
  KernelAbi kernel;
  kernel.name = "k", kernel.dimensions = {"M", "K"};
  const Dimensions sizes = {{"M", 1000}, {"K", 7168}};
  auto like = [&](std::vector<AbiArgument> arguments) {
    kernel.arguments = std::move(arguments);
    return streamLike(kernel, sizes);
  };
  const AbiArgument x = matrix("x", "bf16", false, {"M", "K"}), q = matrix("q", "e4m3", true, {"M", "K"});
  AbiArgument s = matrix("s", "ue8m0", true, {"M", "ceildiv(K, 32)"});
  s.layout = ArgumentLayout::ScaleTcgen05;

  StreamedPieces stream = like({x, q, s}); // scales are left out
  CHECK(stream.traffic == StreamTraffic{{16}, {8}});
  CHECK((stream.rows == 1000 && stream.columns == 7168 / 8));
  stream = like({x, x, q, s});
  CHECK(stream.traffic == StreamTraffic{{16, 16}, {8}});
  stream = like({matrix("x", "f32", false, {"M", "K"}), q, s});
  CHECK(stream.traffic == StreamTraffic{{16}, {4}});
  CHECK(stream.columns == 7168 / 4);
  stream = like({x, q, s, matrix("qt", "e4m3", true, {"K", "M"}), s});
  CHECK(stream.traffic == StreamTraffic{{16}, {8, 8}});

  // Matrices of other sizes: one array in, one out, in the bytes' proportion.
  stream = like({matrix("a", "e4m3", false, {"M", "K"}), matrix("c", "bf16", true, {"M", "M"})});
  CHECK(stream.traffic == StreamTraffic{{16}, {4}});
  CHECK(stream.columns == (1000 * 7168 + 2000 * 1000) / 20);

  // Scales alone; a size of nothing.
  stream = like({matrix("a", "e4m3", false, {"16", "K"}), matrix("b", "e4m3", false, {"K", "K"}),
                 matrix("c", "bf16", true, {"16", "K"})});
  CHECK(stream.traffic == StreamTraffic{{16, 16, 16, 16}, {4}});
  CHECK(stream.columns == (7168 * 7168 + 3 * 16 * 7168) / 68);
  stream = like({matrix("d", "ue8m0", false, {"M", "K"}), s});
  CHECK(stream.columns > 0);
  kernel.arguments = {x, q};
  CHECK(streamLike(kernel, {{"M", 0}, {"K", 7168}}).rows >= 0);
}
