// The host reference over rows of a checkpoint's weights.
#include "dialect/formats/PackedCodes.h"
#include "runtime/checkpoint/RowConverter.h"
#include "runtime/device/ElementTypes.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace mxc {

std::optional<FloatType> floatTypeOfSafetensors(std::string_view dtype) {
  const ElementType *type = elementTypeOfSafetensors(dtype);
  const std::string_view name = type ? type->name : "";
  if (name == "bf16") return FloatType::BF16;
  if (name == "f16") return FloatType::F16;
  if (name == "f32") return FloatType::F32;
  return std::nullopt;
}

static std::span<uint8_t> bytesOf(std::span<std::byte> bytes) {
  return {reinterpret_cast<uint8_t *>(bytes.data()), bytes.size()};
}
static std::span<const uint8_t> bytesOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()};
}

void decodeRows(RowsShape shape, BlockFormat format, float tensorScale, std::span<const std::byte> codes,
                std::span<const std::byte> scales, std::span<float> values) {
  std::vector<uint8_t> unpacked(values.size());
  unpackCodes(info(format).element, bytesOf(codes).data(), unpacked);
  dequantizeRows(unpacked, bytesOf(scales), shape.rows, shape.columns, format, ScaleLayout::Dense, values);
  if (info(format).tensorScale != TensorScale::None)
    for (float &value : values)
      value *= tensorScale;
}

/// Calls work(first row, rows) for parts of all rows, on the machine's threads. A part is small: that is all
/// that is held of it in f32. Throws the first exception of `work`, which ends all of it.
static void overParts(RowsShape shape, const std::function<void(int64_t, int64_t)> &work) {
  constexpr int64_t kElements = 1 << 18;
  const int64_t rowsOfPart = std::max<int64_t>(1, kElements / std::max<int64_t>(1, shape.columns));
  std::atomic<int64_t> next{0};
  std::exception_ptr failure;
  std::once_flag isFailed;
  auto takeParts = [&] {
    try {
      for (int64_t first; (first = next.fetch_add(rowsOfPart)) < shape.rows;)
        work(first, std::min(rowsOfPart, shape.rows - first));
    } catch (...) { // no memory
      std::call_once(isFailed, [&] { failure = std::current_exception(); });
      next = shape.rows;
    }
  };
  const int64_t parts = (shape.rows + rowsOfPart - 1) / rowsOfPart;
  const int64_t threads = std::min<int64_t>(parts, std::clamp(std::thread::hardware_concurrency(), 1u, 64u));
  std::vector<std::thread> others;
  try {
    while (int64_t(others.size()) + 1 < threads)
      others.emplace_back(takeParts);
  } catch (const std::system_error &) { // no more threads to be had: fewer do it
  }
  takeParts();
  for (std::thread &thread : others)
    thread.join();
  if (failure) std::rethrow_exception(failure);
}

namespace {

class HostConverter : public RowConverter {
  void quantize(RowsShape shape, FloatType type, std::span<const std::byte> values, const QuantizeRule &rule,
                std::span<std::byte> codes, std::span<std::byte> scales) override {
    const ElementFormat element = info(rule.format).element;
    const size_t codesOfRow = size_t(storageBytes(element, shape.columns)),
                 scalesOfRow = size_t(info(rule.format).blocks(shape.columns));
    overParts(shape, [&](int64_t first, int64_t rows) {
      std::vector<float> floats(size_t(rows * shape.columns));
      for (size_t i = 0; i < floats.size(); ++i)
        floats[i] = loadFloat(type, values.data(), first * shape.columns + int64_t(i));
      std::vector<uint8_t> unpacked(floats.size());
      quantizeRows(floats, rows, shape.columns, rule, ScaleLayout::Dense, unpacked,
                   bytesOf(scales.subspan(size_t(first) * scalesOfRow, size_t(rows) * scalesOfRow)));
      packCodes(element, unpacked, bytesOf(codes.subspan(size_t(first) * codesOfRow)).data());
    });
  }

  void dequantize(RowsShape shape, BlockFormat format, float tensorScale, std::span<const std::byte> codes,
                  std::span<const std::byte> scales, std::span<std::byte> values) override {
    const size_t codesOfRow = size_t(storageBytes(info(format).element, shape.columns)),
                 scalesOfRow = size_t(info(format).blocks(shape.columns));
    overParts(shape, [&](int64_t first, int64_t rows) {
      std::vector<float> floats(size_t(rows * shape.columns));
      decodeRows({rows, shape.columns}, format, tensorScale,
                 codes.subspan(size_t(first) * codesOfRow, size_t(rows) * codesOfRow),
                 scales.subspan(size_t(first) * scalesOfRow, size_t(rows) * scalesOfRow), floats);
      for (size_t i = 0; i < floats.size(); ++i)
        storeFloat(FloatType::BF16, values.data(), first * shape.columns + int64_t(i), floats[i]);
    });
  }
};

} // namespace

std::unique_ptr<RowConverter> hostConverter() { return std::make_unique<HostConverter>(); }

} // namespace mxc
