// Kernels over rows of a checkpoint's weights.
#include "dialect/formats/PackedCodes.h"
#include "runtime/checkpoint/RowConverter.h"
#include "runtime/device/Buffer.h"
#include "runtime/device/Stream.h"
#include "runtime/jit/Engine.h"

#include <string>

namespace mxc {

static std::string_view nameOf(FloatType type) {
  switch (type) {
  case FloatType::BF16:
    return "bf16";
  case FloatType::F16:
    return "f16";
  case FloatType::F32:
    return "f32";
  }
  __builtin_unreachable();
}

static std::string matrix(std::string_view element) { return "memref<?x?x" + std::string(element) + ">"; }

static bool hasTensorScale(BlockFormat format) { return info(format).tensorScale != TensorScale::None; }

/// MLIR of a kernel of `operation` from `ins` to `outs`, matrices by name and type, and the tensor scale %t
/// where the format has one.
using Operands = std::vector<std::pair<std::string, std::string>>;
static std::string kernelText(const std::string &operation, BlockFormat format, const Operands &ins,
                              const Operands &outs, const std::string &clauses) {
  const std::string one = "memref<1xf32>";
  std::string parameters;
  auto listed = [&](const Operands &operands) {
    std::string names, types;
    for (const auto &[name, type] : operands) {
      parameters += (parameters.empty() ? "%" : ", %") + name + ": " + type;
      names += (names.empty() ? "%" : ", %") + name;
      types += (types.empty() ? "" : ", ") + type;
    }
    return "(" + names + " : " + types + ")";
  };
  std::string body = operation + " ins" + listed(ins);
  if (hasTensorScale(format)) body += " tensor_scale" + listed({{"t", one}});
  body += " outs" + listed(outs) + clauses;
  return "mx.kernel @convert(" + parameters + ") {\n  " + body + "\n}\n";
}

namespace {

class DeviceConverter : public RowConverter {
public:
  explicit DeviceConverter(const Device &device) : engine_(device), stream_(device) {}

private:
  void quantize(RowsShape shape, FloatType type, std::span<const std::byte> values, const QuantizeRule &rule,
                std::span<std::byte> codes, std::span<std::byte> scales) override {
    const std::string text = kernelText("mx.quantize", rule.format, {{"x", matrix(nameOf(type))}},
                                        codedOperands(rule.format), " special = propagate");
    Buffer x(engine_.device(), values.size()), q(engine_.device(), codes.size()),
        s(engine_.device(), scales.size());
    x.upload(values);
    launch(text, shape, rule.format, rule.tensorScale, nameOf(type), x, q, s);
    q.download(codes);
    s.download(scales);
  }

  void dequantize(RowsShape shape, BlockFormat format, float tensorScale, std::span<const std::byte> codes,
                  std::span<const std::byte> scales, std::span<std::byte> values) override {
    const std::string_view type = nameOf(FloatType::BF16);
    const std::string text =
        kernelText("mx.dequantize", format, codedOperands(format), {{"x", matrix(type)}}, "");
    Buffer x(engine_.device(), values.size()), q(engine_.device(), codes.size()),
        s(engine_.device(), scales.size());
    q.upload(codes);
    s.upload(scales);
    launch(text, shape, format, tensorScale, type, x, q, s);
    x.download(values);
  }

  static Operands codedOperands(BlockFormat format) {
    return {{"q", matrix(info(info(format).element).mlirType)},
            {"s", matrix(info(info(format).scale).mlirType)}};
  }

  void launch(const std::string &text, RowsShape shape, BlockFormat format, float tensorScale,
              std::string_view type, const Buffer &x, const Buffer &q, const Buffer &s) {
    const Kernel kernel = engine_.load(text, "mxc convert").kernel();
    Buffer t(engine_.device(), sizeof tensorScale);
    Arguments arguments = {
        {"x", x.view(std::string(type), {shape.rows, shape.columns})},
        {"q", q.view(std::string(info(info(format).element).name), {shape.rows, shape.columns})},
        {"s", s.view(std::string(info(info(format).scale).name),
                     {shape.rows, info(format).blocks(shape.columns)})}};
    if (hasTensorScale(format)) {
      t.upload(std::as_bytes(std::span(&tensorScale, 1)));
      arguments.push_back({"t", t.view("f32", {1})});
    }
    kernel.launch(arguments, {.stream = stream_});
    stream_.synchronize();
  }

  Engine engine_;
  Stream stream_;
};

} // namespace

std::unique_ptr<RowConverter> deviceConverter(const Device &device) {
  return std::make_unique<DeviceConverter>(device);
}

} // namespace mxc
