#include "tests/unit/mutation/ProductRun.h"

#include "compiler/Compiler.h"
#include "dialect/formats/ScaleLayout.h"
#include "runtime/device/Buffer.h"
#include "runtime/device/Stream.h"
#include "runtime/launch/Kernel.h"
#include "tests/unit/mutation/Mutants.h"

#include <random>

using namespace mxc;

static std::string quantizer(bool isFourBits) {
  const std::string codes = isFourBits ? "memref<?x?xf4E2M1FN>" : "memref<?x?xf8E4M3FN>",
                    scales = "memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>";
  return "mx.kernel @quantize(%x: memref<?x?xbf16>, %q: " + codes + ", %s: " + scales +
         ") {\n  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : " + codes + ", " + scales +
         ") axis = row rounding = ceil special = propagate\n}";
}

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
    : target_(std::move(target)), shape_(std::move(shape)), variant_(variant) {
  CompileOptions options;
  options.targets = {target_}, options.stage = Stage::Ptx;
  quantizer_ = compile(quantizer(shape_.isFourBits), "quantizer", options).output;
  std::mt19937 generator(7);
  const int64_t weights = std::max<int64_t>(1, int64_t(shape_.rowEnds.size())); // matrices in b
  x_ = randomBytes(generator, shape_.m * shape_.k * 2, 0x30, 0x42);             // bf16 of ordinary sizes
  b_ = randomBytes(generator, bytesOf(weights * shape_.n * shape_.k), 0x28, 0x48);
  scalesB_ = randomBytes(generator, weights * bytesOfScales(shape_.n, shape_.k), 120, 130);
}

ProductRun::Outcome ProductRun::run(const std::string &ptx, sim::Schedule schedule) const {
  Outcome outcome;
  try {
    Device device = strictDevice(target_, schedule, shape_.multiprocessors);
    auto filled = [&](std::span<const std::byte> bytes) {
      Buffer buffer(device, bytes.size());
      buffer.upload(bytes);
      return buffer;
    };
    const int64_t m = shape_.m, n = shape_.n, k = shape_.k, groups = shape_.groups();
    const std::vector<int32_t> &ends = shape_.kEnds.empty() ? shape_.rowEnds : shape_.kEnds;
    const bool isGradient = !shape_.kEnds.empty();
    Buffer x = filled(x_), b = filled(b_), scalesB = filled(scalesB_);
    const float one = 1;
    Buffer alpha = filled(std::as_bytes(std::span(&one, 1)));
    Buffer a(device, size_t(bytesOf(m * k))), scalesA(device, size_t(bytesOfScales(m, k))),
        c(device, isGradient ? size_t(groups * m * n * 4) : size_t(m * n * 2));
    Buffer endsOf = ends.empty() ? Buffer(device, 4) : filled(std::as_bytes(std::span(ends)));
    auto scales = [](const Buffer &buffer) { return buffer.view("ue8m0", {int64_t(buffer.bytes())}); };
    const char *codes = shape_.isFourBits ? "e2m1" : "e4m3";
    using Extents = std::vector<int64_t>;
    Arguments arguments = {
        {"a", a.view(codes, {m, k})},
        {"sa", scales(scalesA)},
        {"b", b.view(codes, shape_.rowEnds.empty() ? Extents{n, k} : Extents{groups, n, k})},
        {"sb", scales(scalesB)},
        {"c", isGradient ? c.view("f32", {groups, m, n}) : c.view("bf16", {m, n})}};
    if (shape_.isFourBits) arguments.push_back({"alpha", alpha.view("f32", {1})});
    if (groups) arguments.push_back({"ends", endsOf.view("i32", {groups})});
    Kernel quantizer = kernelOf(device, quantizer_), product = kernelOf(device, ptx);
    Stream stream(device);
    // Prepared, so that nothing, as the zeroing of a workspace, stands between the two.
    PreparedLaunch prepared = product.prepare(arguments, {.pdl = true, .variant = variant_});
    quantizer.launch({{"x", x.view("bf16", {m, k})}, {"q", a.view(codes, {m, k})}, {"s", scales(scalesA)}},
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
