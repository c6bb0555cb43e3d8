// More row tiles than the grid's second dimension holds, and more elements than 32 bits count. The input
// repeats a base of `period` rows, which has no factor in common with tiles, so that every output byte is
// known from the base's.
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/KernelText.h"
#include "tests/end-to-end/MatrixData.h"

#include <catch2/catch.hpp>

#include <cstring>

using namespace mxc;

namespace {

class PeriodicRun {
public:
  PeriodicRun(Shape shape, int64_t period, const std::string &tile)
      : device_(testDevice()), shape_(shape), period_(std::min(period, shape.rows)),
        blocks_((shape.columns + 31) / 32), kernel_(compileForDevice(QuantizeText().text(), tile).kernel()),
        base_(matrixData(FloatType::BF16, period_, shape.columns, 11)),
        x_(device_, static_cast<size_t>(shape.rows * shape.columns) * 2),
        q_(device_, static_cast<size_t>(shape.rows * shape.columns) + kGuard),
        s_(device_, static_cast<size_t>(scaleCount(ScaleLayout::Tcgen05, shape.rows, blocks_)) + kGuard) {
    upload();
    q_.fill(kPoison);
    s_.fill(kPoison);
  }

  std::string failure() {
    int64_t scaleExtent = static_cast<int64_t>(s_.bytes() - kGuard);
    Stream stream(device_);
    kernel_.launch({{"x", x_.view("bf16", {shape_.rows, shape_.columns})},
                    {"q", q_.view("e4m3", {shape_.rows, shape_.columns})},
                    {"s", s_.view("ue8m0", {scaleExtent})}},
                   {.stream = stream});
    stream.synchronize();
    reference_ = referenceOf(kernel_.abi(), {{"M", period_}, {"K", shape_.columns}}, {{"x", base_}});
    std::string text = codeFailure();
    return text.empty() ? scaleFailure() : text;
  }

private:
  /// The base once, then copies of what is there already.
  void upload() {
    x_.upload(base_);
    ContextScope scope(device_);
    for (size_t done = base_.size(); done < x_.bytes(); done *= 2)
      device_.check(device_.driver().cuMemcpyDtoD_v2(x_.address() + done, x_.address(),
                                                     std::min(done, x_.bytes() - done)),
                    "copy");
  }

  bool isPoison(std::span<const std::byte> bytes) const {
    for (std::byte byte : bytes)
      if (byte != std::byte{kPoison}) return false;
    return true;
  }

  std::string codeFailure() {
    const std::vector<uint8_t> &expected = reference_.outputs["q"];
    std::vector<std::byte> found(expected.size());
    for (int64_t row = 0; row < shape_.rows; row += period_) {
      size_t offset = static_cast<size_t>(row * shape_.columns),
             size = std::min(found.size(), q_.bytes() - kGuard - offset);
      q_.download(std::span(found).first(size), offset);
      if (std::memcmp(found.data(), expected.data(), size) == 0) continue;
      for (size_t i = 0; i < size; ++i)
        if (found[i] != std::byte{expected[i]})
          return "code of row " + std::to_string(row + static_cast<int64_t>(i) / shape_.columns) +
                 ", column " + std::to_string(static_cast<int64_t>(i) % shape_.columns) + ": expected " +
                 std::to_string(expected[i]) + ", found " + std::to_string(int(found[i]));
    }
    std::vector<std::byte> guard(kGuard);
    q_.download(guard, q_.bytes() - kGuard);
    return isPoison(guard) ? "" : "wrote past the codes";
  }

  std::string scaleFailure() {
    const std::vector<uint8_t> &base = reference_.outputs["s"];
    std::vector<std::byte> found(s_.bytes());
    s_.download(found);
    std::vector<uint8_t> expected(found.size() - kGuard); // padding stays 0
    for (int64_t row = 0; row < shape_.rows; ++row)
      for (int64_t block = 0; block < blocks_; ++block)
        expected[static_cast<size_t>(scaleOffset(ScaleLayout::Tcgen05, row, block, shape_.rows, blocks_))] =
            base[static_cast<size_t>(
                scaleOffset(ScaleLayout::Tcgen05, row % period_, block, period_, blocks_))];
    for (size_t i = 0; i < expected.size(); ++i)
      if (found[i] != std::byte{expected[i]})
        return "scale byte " + std::to_string(i) + ": expected " + std::to_string(expected[i]) + ", found " +
               std::to_string(int(found[i]));
    return isPoison(std::span(found).last(kGuard)) ? "" : "wrote past the scales";
  }

  static constexpr size_t kGuard = 256;
  static constexpr uint8_t kPoison = 0xA5;
  Device device_;
  Shape shape_;
  int64_t period_, blocks_;
  Kernel kernel_;
  std::vector<std::byte> base_;
  Buffer x_, q_, s_;
  KernelReference reference_;
};

} // namespace

TEST_CASE("more than 65535 row tiles") {
  for (const char *tile :
       {"order = columns", "order = columns, rows_per_warp = 1", "order = columns, variant = bulk",
        "order = columns, rows_per_warp = 1, access = element", "order = rows"}) {
    INFO(tile);
    CHECK(PeriodicRun({3'000'000, 32}, 9973, tile).failure() == "");
  }
}

TEST_CASE("more than 65535 column tiles") {
  for (const char *tile :
       {"order = rows, rows_per_warp = 1", "order = rows, variant = bulk", "order = columns"}) {
    INFO(tile);
    CHECK(PeriodicRun({2, 20'000'032}, 2, tile).failure() == "");
  }
}

TEST_CASE("more than 2^31 elements") {
  for (const char *tile : {"", "variant = bulk", "rows_per_warp = 1, access = element"}) {
    if (testDevice().freeBytes() < int64_t(8) << 30) {
      WARN("not run: less than 8 GiB of device memory are free");
      return;
    }
    INFO(tile);
    CHECK(PeriodicRun({70'000, 32'768}, 997, tile).failure() == "");
  }
}
