#include "tests/unit/mutation/ProductRun.h"

#include "compiler/Compiler.h"
#include "dialect/formats/ScaleLayout.h"
#include "runtime/device/Buffer.h"
#include "runtime/device/Stream.h"
#include "runtime/launch/Kernel.h"
#include "tests/unit/mutation/Mutants.h"

#include <random>

using namespace mxc;

static const char kQuantizer[] = R"(
mx.kernel @quantize(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) {
  mx.quantize ins(%x : memref<?x?xbf16>)
              outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>)
              axis = row rounding = ceil special = propagate
})";

static int64_t bytesOfScales(int64_t rows, int64_t k) {
  return scaleCount(ScaleLayout::Tcgen05, rows, (k + 31) / 32);
}

/// Products of such numbers are seldom equal by chance.
static std::vector<std::byte> randomBytes(std::mt19937 &generator, int64_t count, unsigned first,
                                          unsigned last) {
  std::uniform_int_distribution<unsigned> number(first, last);
  std::vector<std::byte> bytes(static_cast<size_t>(count));
  for (std::byte &byte : bytes)
    byte = std::byte(number(generator));
  return bytes;
}

ProductRun::ProductRun(std::string target, ProductShape shape, size_t variant)
    : target_(std::move(target)), shape_(shape), variant_(variant) {
  CompileOptions options;
  options.targets = {target_}, options.stage = Stage::Ptx;
  quantizer_ = compile(kQuantizer, "quantizer", options).output;
  std::mt19937 generator(7);
  x_ = randomBytes(generator, shape.m * shape.k * 2, 0x30, 0x42); // bf16 of ordinary sizes
  b_ = randomBytes(generator, shape.n * shape.k, 0x28, 0x48);
  scalesB_ = randomBytes(generator, bytesOfScales(shape.n, shape.k), 120, 130);
}

ProductRun::Outcome ProductRun::run(const std::string &ptx, sim::Schedule schedule) const {
  Outcome outcome;
  try {
    Device device = strictDevice(target_, schedule);
    auto filled = [&](const std::vector<std::byte> &bytes) {
      Buffer buffer(device, bytes.size());
      buffer.upload(bytes);
      return buffer;
    };
    const auto [m, n, k] = shape_;
    Buffer x = filled(x_), b = filled(b_), scalesB = filled(scalesB_);
    Buffer a(device, size_t(m * k)), scalesA(device, size_t(bytesOfScales(m, k))),
        c(device, size_t(m * n * 2));
    auto scales = [](const Buffer &buffer) { return buffer.view("ue8m0", {int64_t(buffer.bytes())}); };
    Kernel quantizer = kernelOf(device, quantizer_), product = kernelOf(device, ptx);
    Stream stream(device);
    // Prepared, so that nothing, as the zeroing of a workspace, stands between the two.
    PreparedLaunch prepared = product.prepare({{"a", a.view("e4m3", {m, k})},
                                               {"sa", scales(scalesA)},
                                               {"b", b.view("e4m3", {n, k})},
                                               {"sb", scales(scalesB)},
                                               {"c", c.view("bf16", {m, n})}},
                                              {.pdl = true, .variant = variant_});
    quantizer.launch({{"x", x.view("bf16", {m, k})}, {"q", a.view("e4m3", {m, k})}, {"s", scales(scalesA)}},
                     {.stream = stream});
    prepared.launch(stream);
    stream.synchronize();
    outcome.result.resize(c.bytes());
    c.download(outcome.result);
  } catch (const Error &error) {
    outcome.fault = error.what();
  }
  return outcome;
}
