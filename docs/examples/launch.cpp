// Launches a cubin that mxc made of docs/examples/quantize.mlir: example-launch q.cubin cuda:0
#include "dialect/formats/ScaleLayout.h"
#include "runtime/device/Buffer.h"
#include "runtime/device/Stream.h"
#include "runtime/launch/Kernel.h"

#include <cstdio>

static void quantize(const char *cubin, const char *deviceName) {
  constexpr int64_t rows = 1000, columns = 7168, blocks = columns / 32;
  const int64_t scaleBytes = mxc::scaleCount(mxc::ScaleLayout::Tcgen05, rows, blocks); // whole 512-byte tiles

  mxc::Device device = mxc::openDevice(deviceName);
  mxc::Kernel kernel = mxc::Module::load(device, cubin).kernel("quantize");
  mxc::Buffer x(device, rows * columns * 2), q(device, rows * columns), s(device, size_t(scaleBytes));
  std::vector<uint16_t> ones(rows * columns, 0x3F80); // bf16
  x.upload(std::as_bytes(std::span(ones)));

  mxc::Stream stream(device);
  kernel.launch({{"x", x.view("bf16", {rows, columns})},
                 {"q", q.view("e4m3", {rows, columns})},
                 {"s", s.view("ue8m0", {scaleBytes})}},
                {.stream = stream});
  stream.synchronize();

  std::byte code, scale;
  q.download({&code, 1});
  s.download({&scale, 1});
  std::printf("1.0 became the code 0x%02x and the scale byte %d\n", unsigned(code), int(scale));
}

int main(int argc, char **argv) {
  try {
    quantize(argc > 1 ? argv[1] : "q.cubin", argc > 2 ? argv[2] : "cuda:0");
  } catch (const mxc::Error &error) { // what was tried, on what, what to do about it
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
