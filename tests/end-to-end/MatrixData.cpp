#include "tests/end-to-end/MatrixData.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mxc;

namespace {

/// splitmix64: fast, and the same on every machine.
struct Random {
  uint64_t state;
  uint64_t bits() {
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  uint32_t below(uint32_t limit) { return static_cast<uint32_t>((bits() >> 32) * limit >> 32); }
  float uniform() { return static_cast<float>(static_cast<int64_t>(bits()) >> 39) * 0x1p-24f; } // -1 to 1
};

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

/// Up to 32 elements of one kind at `index`.
class BlockWriter {
public:
  BlockWriter(FloatType type, std::byte *base, Random &random, bool finite)
      : type_(type), base_(base), random_(random), finite_(finite) {}

  void write(int64_t index, int64_t count) {
    float scale = std::ldexp(1.0f, int(random_.below(25)) - 12);
    for (int64_t i = 0; i < count; ++i)
      put(index + i, random_.uniform() * scale);
    int64_t place = index + random_.below(static_cast<uint32_t>(count));
    switch (random_.below(finite_ ? 14 : 20)) {
    case 0:
      return fill(index, count, 0.0f);
    case 1:
      return fill(index, count, -0.0f);
    case 2:
      for (int64_t i = 0; i < count; ++i)
        put(index + i, random_.uniform() * (type_ == FloatType::F16 ? 0x1p-20f : 0x1p-130f));
      return;
    case 3:
      return put(place, boundary());
    case 4:
      return put(place, -boundary());
    case 5:
      return put(place, -0.0f);
    case 14:
      return put(place, kNan);
    case 15:
      return put(place, random_.below(2) ? kInf : -kInf);
    case 16:
      put(index, kInf);
      return put(place, kNan);
    case 17:
      return put(place, largest());
    case 18:
      return rawBits(index, count);
    case 19:
      return rawBits(index, 1);
    default:
      return;
    }
  }

private:
  void put(int64_t index, float value) { storeFloat(type_, base_, index, value); }
  void fill(int64_t index, int64_t count, float value) {
    for (int64_t i = 0; i < count; ++i)
      put(index + i, value);
  }
  float largest() const { return type_ == FloatType::F16 ? 65504.0f : 0x1.FEp127f; }
  /// At, just below or just above a maximum where some rounding changes the scale.
  float boundary() {
    static constexpr float kBase[] = {448, 57344, 256, 480, 464, 1.9375f, 1.875f, 1.0f};
    static constexpr float kOff[] = {
        1, 1 - 0x1p-8f, 1 + 0x1p-7f, 1 - 0x1p-11f, 1 + 0x1p-10f, 1 + 0x1p-22f, 1 - 0x1p-23f};
    float scale = std::ldexp(1.0f, int(random_.below(17)) - (type_ == FloatType::F16 ? 16 : 8));
    return kBase[random_.below(std::size(kBase))] * kOff[random_.below(std::size(kOff))] * scale;
  }
  void rawBits(int64_t index, int64_t count) {
    for (int64_t i = index * byteSize(type_); i < (index + count) * byteSize(type_); ++i)
      base_[i] = static_cast<std::byte>(random_.bits());
  }

  FloatType type_;
  std::byte *base_;
  Random &random_;
  bool finite_;
};

} // namespace

std::vector<std::byte> matrixData(FloatType type, int64_t rows, int64_t columns, uint64_t seed, bool finite) {
  std::vector<std::byte> data(static_cast<size_t>(rows * columns * byteSize(type)));
  Random random{seed * 0x9E3779B9 + static_cast<uint64_t>(type)};
  BlockWriter writer(type, data.data(), random, finite);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; column += 32)
      writer.write(row * columns + column, std::min<int64_t>(32, columns - column));
  return data;
}

std::vector<std::byte> randomBytes(size_t count, uint64_t seed) {
  std::vector<std::byte> bytes(count);
  Random random{seed};
  for (size_t i = 0; i < count; ++i)
    bytes[i] = static_cast<std::byte>(random.bits());
  return bytes;
}

FloatType floatTypeNamed(const std::string &name) {
  return name == "bf16" ? FloatType::BF16 : name == "f16" ? FloatType::F16 : FloatType::F32;
}

std::vector<int32_t> endsOf(const std::vector<int32_t> &lengths, int32_t align) {
  std::vector<int32_t> ends;
  int32_t end = 0;
  for (int32_t length : lengths) {
    if (length) end = (end + align - 1) / align * align + length;
    ends.push_back(end);
  }
  return ends;
}
