#include "runtime/checkpoint/ConversionCheck.h"

#include "dialect/formats/Error.h"
#include "runtime/checkpoint/RowConverter.h"
#include "runtime/checkpoint/TensorScales.h"
#include "runtime/checkpoint/WeightRows.h"
#include "runtime/device/TensorView.h"

#include <algorithm>
#include <cmath>

namespace mxc {

double quantizationBound(double x, double scale, double tensorScale, BlockFormat format) {
  const ElementFormatInfo &element = info(info(format).element);
  const int smallestExponent = 2 - (1 << (element.exponentBits - 1)); // of normal numbers
  const double ofElement = std::max(std::ldexp(std::abs(x), -element.mantissaBits - 1),
                                    std::ldexp(scale, smallestExponent - element.mantissaBits - 1));
  const double ofScale =
      info(format).tensorScale == TensorScale::None
          ? 0
          : double(element.maxFinite) * tensorScale * scaleValue(info(format).scale, 1) / 2;
  constexpr double kRoundings = 1 + 0x1p-20; // quotients and products in f32
  return (ofElement + ofScale) * kRoundings;
}

namespace {

class Check {
public:
  Check(const Checkpoint &before, const ConversionPlan &plan, const Checkpoint &after,
        const ConversionOptions &options)
      : before_(before), plan_(plan), after_(after), options_(options) {}

  ConversionCheck run() {
    tensorScales_ =
        tensorScales(before_, plan_, options_.slabElements,
                     [&](const std::string &, std::span<const std::byte> part) { before_.release(part); });
    for (const std::string &name : plan_.kept) {
      const Tensor &was = tensor(before_, name), &is = written({name, was.dtype, was.shape});
      compare(name, 0, was.data, is.data);
      ++result_.tensors;
    }
    for (const auto &[module, weight] : plan_.weights) {
      plan_.isBack ? checkReturn(weight) : checkQuantization(weight);
      ++result_.weights;
    }
    return result_;
  }

private:
  [[noreturn]] void refuse(const std::string &name, const std::string &what) const {
    throw Error(ErrorKind::InvalidInput, after_.path() + ": tensor '" + name + "': " + what);
  }

  static const Tensor &tensor(const Checkpoint &checkpoint, const std::string &name) {
    return *checkpoint.find(name)->tensor;
  }

  const Tensor &written(const TensorOutline &outline) const {
    const CheckpointTensor *found = after_.find(outline.name);
    if (!found) refuse(outline.name, "it is missing");
    const Tensor &tensor = *found->tensor;
    if (tensor.dtype != outline.dtype || tensor.shape != outline.shape)
      refuse(outline.name, "expected " + outline.dtype + " " + shapeText(outline.shape) + ", found " +
                               tensor.dtype + " " + shapeText(tensor.shape));
    return tensor;
  }

  /// `first` is the byte of the tensor that they begin with.
  void compare(const std::string &name, size_t first, std::span<const std::byte> expected,
               std::span<const std::byte> found) {
    constexpr size_t kPiece = size_t(1) << 25;
    for (size_t at = 0; at < expected.size(); at += kPiece) {
      const auto want = expected.subspan(at, std::min(kPiece, expected.size() - at)),
                 is = found.subspan(at, want.size());
      const auto differs = std::ranges::mismatch(want, is);
      if (differs.in1 != want.end()) {
        const size_t place = first + at + size_t(differs.in1 - want.begin());
        refuse(name, "byte " + std::to_string(place) + ": expected " +
                         std::to_string(std::to_integer<int>(*differs.in1)) + ", found " +
                         std::to_string(std::to_integer<int>(*differs.in2)));
      }
      before_.release(want);
      after_.release(is);
    }
    result_.bytes += expected.size();
  }

  void checkReturn(const QuantizedWeight &weight) {
    const Tensor &codes = tensor(before_, weight.codesName()), &scales = tensor(before_, weight.scalesName()),
                 &found = written({weight.plainName(), "BF16", {weight.rows, weight.columns}});
    overSlabs(weight.rows, weight.columns, options_.slabElements, [&](int64_t first, int64_t rows) {
      const std::span<const std::byte> its = rowsOf(found, first, rows);
      std::vector<std::byte> expected(its.size());
      host_->dequantize({rows, weight.columns}, weight.format, tensorScales_.at(weight.module).multiplier,
                        rowsOf(codes, first, rows), rowsOf(scales, first, rows), expected);
      compare(found.name, offsetIn(found, its), expected, its);
    });
  }

  void checkQuantization(const QuantizedWeight &weight) {
    const Tensor &source = tensor(before_, weight.plainName()), &codes = written(weight.codes()),
                 &scales = written(weight.scales());
    const FloatType type = *floatTypeOfSafetensors(source.dtype);
    const TensorScaleValue tensorScale = tensorScales_.at(weight.module);
    if (!weight.tensorScaleName().empty())
      compare(weight.tensorScaleName(), 0, std::as_bytes(std::span(&tensorScale.stored, 1)),
              written(weight.tensorScale()).data);
    QuantizeRule rule;
    rule.format = weight.format;
    rule.tensorScale = tensorScale.multiplier;
    overSlabs(weight.rows, weight.columns, options_.slabElements, [&](int64_t first, int64_t rows) {
      const std::span<const std::byte> values = rowsOf(source, first, rows), q = rowsOf(codes, first, rows),
                                       s = rowsOf(scales, first, rows);
      std::vector<std::byte> expected(q.size()), expectedScales(s.size());
      host_->quantize({rows, weight.columns}, type, values, rule, expected, expectedScales);
      compare(codes.name, offsetIn(codes, q), expected, q);
      compare(scales.name, offsetIn(scales, s), expectedScales, s);
      checkBounds(weight, rule.tensorScale, values, type, expected, expectedScales, first, rows);
      before_.release(values);
    });
  }

  static size_t offsetIn(const Tensor &tensor, std::span<const std::byte> part) {
    return size_t(part.data() - tensor.data.data());
  }

  void checkBounds(const QuantizedWeight &weight, float tensorScale, std::span<const std::byte> source,
                   FloatType type, std::span<const std::byte> codes, std::span<const std::byte> scales,
                   int64_t firstRow, int64_t rows) {
    const BlockFormatInfo &format = info(weight.format);
    std::vector<float> values(size_t(rows * weight.columns));
    decodeRows({rows, weight.columns}, weight.format, tensorScale, codes, scales, values);
    const int64_t blocks = format.blocks(weight.columns);
    const auto *scaleCodes = reinterpret_cast<const uint8_t *>(scales.data());
    for (int64_t i = 0; i < int64_t(values.size()); ++i) {
      const int64_t row = i / weight.columns, column = i % weight.columns;
      const double scale =
          double(scaleValue(format.scale, loadScale(format.scale, scaleCodes,
                                                    row * blocks + column / format.blockColumns))) *
          tensorScale;
      const double x = loadFloat(type, source.data(), i), error = std::abs(double(values[size_t(i)]) - x);
      const double bound = quantizationBound(x, scale, tensorScale, weight.format);
      if (!(error <= bound))
        refuse(weight.codesName(), "row " + std::to_string(firstRow + row) + ", column " +
                                       std::to_string(column) + ": expected " + std::to_string(x) +
                                       " within " + std::to_string(bound) + ", found " +
                                       std::to_string(values[size_t(i)]));
      if (error > 0) result_.largestError = std::max(result_.largestError, error / bound);
    }
  }

  const Checkpoint &before_;
  const ConversionPlan &plan_;
  const Checkpoint &after_;
  const ConversionOptions &options_;
  std::unique_ptr<RowConverter> host_ = hostConverter();
  std::map<std::string, TensorScaleValue> tensorScales_; // by module
  ConversionCheck result_;
};

} // namespace

ConversionCheck checkConversion(const Checkpoint &checkpoint, const ConversionPlan &plan,
                                const std::string &output, const ConversionOptions &options) {
  const Checkpoint written = Checkpoint::open(output);
  return Check(checkpoint, plan, written, options).run();
}

} // namespace mxc
