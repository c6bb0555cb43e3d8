#include "dialect/formats/Reference.h"

#include "dialect/formats/Error.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <string>
#include <system_error>
#include <thread>

namespace mxc {
namespace {

constexpr uint32_t kInfinityBits = 0x7F800000;

template <typename T> T loadBits(const void *base, int64_t index) {
  T bits;
  std::memcpy(&bits, static_cast<const char *>(base) + index * int64_t(sizeof(T)), sizeof(T));
  return bits;
}

template <typename T> void storeBits(void *base, int64_t index, T bits) {
  std::memcpy(static_cast<char *>(base) + index * int64_t(sizeof(T)), &bits, sizeof(T));
}

float floatFromHalf(uint16_t half) {
  const uint32_t sign = uint32_t(half & 0x8000) << 16, magnitude = half & 0x7FFF;
  uint32_t bits;
  if (magnitude < 0x0400)
    bits = std::bit_cast<uint32_t>(float(magnitude) * 0x1p-24f); // subnormals, exact
  else
    bits =
        (magnitude << 13) + (magnitude < 0x7C00 ? 112u << 23 : 224u << 23); // Inf and NaN go to exponent 255
  return std::bit_cast<float>(bits | sign);
}

uint16_t halfFromFloat(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value), sign = bits >> 16 & 0x8000,
                 magnitude = bits & 0x7FFFFFFF;
  if (magnitude > kInfinityBits) return 0x7FFF;
  if (magnitude >= 0x477FF000) return uint16_t(0x7C00 | sign); // 65520 and above round to Inf
  if (magnitude < 0x38800000) // below 2^-14: 0.5's last place is the smallest subnormal
    return uint16_t((std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3F000000) | sign);
  return uint16_t((((magnitude + 0xFFF + (magnitude >> 13 & 1)) >> 13) - (112u << 10)) | sign);
}

uint16_t bfloatFromFloat(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFF) > kInfinityBits) return 0x7FFF;
  return uint16_t((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

void require(bool holds, const char *action, const std::string &what) {
  if (!holds) throw Error(ErrorKind::InvalidInput, std::string(action) + ": " + what);
}

/// The checks that both directions share. Returns the blocks in a row.
int64_t checkShapes(const char *action, const BlockFormatInfo &format, int64_t rows, int64_t k, size_t values,
                    size_t codes, size_t scales, ScaleLayout layout) {
  require(rows >= 0 && k >= 0, action, "rows and columns must not be negative");
  const int64_t blocks = format.blocks(k), scaleRows = format.blocksOfRows(rows);
  const int64_t expectedScales = scaleCount(layout, scaleRows, blocks) * info(format.scale).bytes();
  int64_t elements;
  require(!__builtin_mul_overflow(rows, k, &elements), action, "the matrix is too large");
  const auto sized = [&](const char *which, size_t found, int64_t expected) {
    require(found == size_t(expected), action,
            std::string(which) + " of a " + std::to_string(rows) + " x " + std::to_string(k) +
                " matrix: expected " + std::to_string(expected) + " elements, found " +
                std::to_string(found));
  };
  sized("values", values, elements);
  sized("codes", codes, elements);
  sized("scales", scales, expectedScales);
  return blocks;
}

/// Calls work(begin, end) over all rows, on several threads when the matrix is large.
void overRows(int64_t rows, int64_t k, const std::function<void(int64_t, int64_t)> &work) {
  constexpr int64_t elementsPerThread = 1 << 20; // less is not worth starting a thread
  const int64_t threads = std::clamp<int64_t>(std::thread::hardware_concurrency(), 1, 64);
  const int64_t parts =
      std::clamp<int64_t>(k == 0 ? 1 : rows / (elementsPerThread / k + 1), 1, std::min(threads, rows + 1));
  std::vector<std::thread> pool;
  int64_t begin = 0;
  for (int64_t part = 1; part < parts; ++part) {
    const int64_t end = begin + rows / parts;
    try {
      pool.emplace_back(work, begin, end);
    } catch (const std::system_error &) { // no more threads to be had: this one does the rest
      break;
    }
    begin = end;
  }
  work(begin, rows);
  for (std::thread &thread : pool)
    thread.join();
}

} // namespace

float loadFloat(FloatType type, const void *base, int64_t index) {
  switch (type) {
  case FloatType::BF16:
    return std::bit_cast<float>(uint32_t(loadBits<uint16_t>(base, index)) << 16);
  case FloatType::F16:
    return floatFromHalf(loadBits<uint16_t>(base, index));
  case FloatType::F32:
    return loadBits<float>(base, index);
  }
  __builtin_unreachable();
}

void storeFloat(FloatType type, void *base, int64_t index, float value) {
  switch (type) {
  case FloatType::BF16:
    return storeBits(base, index, bfloatFromFloat(value));
  case FloatType::F16:
    return storeBits(base, index, halfFromFloat(value));
  case FloatType::F32:
    return storeBits(base, index, value == value ? std::bit_cast<uint32_t>(value) : 0x7FFFFFFF);
  }
}

int64_t byteSize(FloatType type) { return type == FloatType::F32 ? 4 : 2; }

void quantizeRows(std::span<const float> values, int64_t rows, int64_t k, const QuantizeRule &rule,
                  ScaleLayout layout, std::span<uint8_t> codes, std::span<uint8_t> scales,
                  std::span<const int64_t> rowNumbers) {
  const BlockFormatInfo &format = info(rule.format);
  require(hasQuantizeRule(rule.format), "quantize", "no rule yet for " + std::string(format.name));
  const int64_t blocks =
      checkShapes("quantize", format, rows, k, values.size(), codes.size(), scales.size(), layout);
  std::fill(scales.begin(), scales.end(), uint8_t(0)); // the padding
  const int64_t lines = format.blocksOfRows(rows);
  const BlockShape whole = rule.maximumBlock(); // of one maximum
  overRows((rows + whole.rows - 1) / whole.rows, k * whole.rows, [&](int64_t begin, int64_t end) {
    std::vector<float> ofBlock;
    std::vector<uint8_t> its, random; // codes, bytes
    for (int64_t firstRow = begin * whole.rows; firstRow < std::min(end * whole.rows, rows);
         firstRow += whole.rows)
      for (int64_t column = 0; column < k; column += whole.columns) {
        const int64_t count = std::min(whole.columns, k - column),
                      height = std::min(whole.rows, rows - firstRow);
        ofBlock.clear();
        for (int64_t row = firstRow; row < firstRow + height; ++row) {
          const auto first = values.begin() + row * k + column;
          ofBlock.insert(ofBlock.end(), first, first + count);
        }
        its.resize(ofBlock.size());
        if (rule.random) random.resize(ofBlock.size());
        for (int64_t row = 0; rule.random && row < height; ++row) {
          const int64_t number = rowNumbers.empty() ? firstRow + row : rowNumbers[size_t(firstRow + row)];
          randomBytes(*rule.random, number, column,
                      std::span(random).subspan(size_t(row * count), size_t(count)));
        }
        const uint32_t code = quantizeBlock(ofBlock, rule, its.data(), random);
        for (int64_t row = 0; row < height; ++row)
          std::copy_n(&its[size_t(row * count)], count, &codes[size_t((firstRow + row) * k + column)]);
        for (int64_t row = firstRow; row < firstRow + height; row += format.blockRows)
          for (int64_t first = column; first < column + count; first += format.blockColumns)
            storeScale(
                format.scale, scales.data(),
                scaleOffset(layout, row / format.blockRows, first / format.blockColumns, lines, blocks),
                code);
      }
  });
}

void dequantizeRows(std::span<const uint8_t> codes, std::span<const uint8_t> scales, int64_t rows, int64_t k,
                    BlockFormat format, ScaleLayout layout, std::span<float> values) {
  const BlockFormatInfo &block = info(format);
  const int64_t blocks =
      checkShapes("dequantize", block, rows, k, values.size(), codes.size(), scales.size(), layout);
  const int64_t scaleRows = block.blocksOfRows(rows);
  std::array<float, 256> decoded;
  for (int code = 0; code < 256; ++code)
    decoded[size_t(code)] = decode(block.element, uint8_t(code));
  overRows(rows, k, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      for (int64_t kb = 0; kb < blocks; ++kb) {
        const int64_t at = scaleOffset(layout, row / block.blockRows, kb, scaleRows, blocks);
        const float scale = scaleValue(block.scale, loadScale(block.scale, scales.data(), at));
        const int64_t last = std::min<int64_t>(k, (kb + 1) * block.blockColumns);
        for (int64_t column = kb * block.blockColumns; column < last; ++column)
          values[size_t(row * k + column)] = decoded[codes[size_t(row * k + column)]] * scale;
      }
  });
}

} // namespace mxc
