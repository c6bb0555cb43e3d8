// Conversions: slabs change no byte, and damage is found.
#include "runtime/checkpoint/Conversion.h"
#include "runtime/checkpoint/ConversionCheck.h"
#include "tests/unit/runtime/Failure.h"
#include "tests/unit/runtime/TemporaryFolder.h"

#include <cstring>
#include <random>

using namespace mxc;
using Catch::Contains;

static std::string contentOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A file with a weight of bf16, heavy tails, and another tensor.
static std::string writeModel(const TemporaryFolder &folder, int64_t rows, int64_t columns) {
  std::mt19937 random(uint32_t(rows + columns));
  std::vector<uint16_t> values(size_t(rows * columns));
  for (uint16_t &value : values)
    value = uint16_t(random() % 0x4300 | (random() & 0x8000)); // up to 128
  const std::vector<float> norm(7, 1.5f);
  const std::string path = folder.file("model.safetensors");
  writeTensorFile(path,
                  std::vector<Tensor>{{"a.weight", "BF16", {rows, columns}, std::as_bytes(std::span(values))},
                                      {"norm.weight", "F32", {7}, std::as_bytes(std::span(norm))}});
  return path;
}

struct Converted {
  Checkpoint checkpoint;
  ConversionPlan plan;
};
static Converted convert(const std::string &from, const std::string &to, const ConversionRequest &request,
                         const ConversionOptions &options = {}) {
  Converted converted{Checkpoint::open(from), {}};
  converted.plan = planConversion(converted.checkpoint, request);
  convertCheckpoint(converted.checkpoint, converted.plan, to, *hostConverter(), options);
  return converted;
}

TEST_CASE("conversions: slabs of any size give the same file") {
  TemporaryFolder folder;
  const std::string model = writeModel(folder, 133, 160); // of several pages
  for (const Convention &convention : conventions())
    for (const CheckpointFormat &format : checkpointFormats()) {
      const ConversionRequest request{format.format, &convention, {}, {}, {}};
      convert(model, folder.file("whole"), request);
      for (int64_t slab : {161, 9000}) {
        const Converted parts = convert(model, folder.file("parts"), request, {slab, {}});
        CHECK(contentOf(folder.file("parts")) == contentOf(folder.file("whole")));
        const ConversionCheck check =
            checkConversion(parts.checkpoint, parts.plan, folder.file("parts"), {slab, {}});
        CHECK((check.weights == 1 && check.tensors == 1));
        CHECK((check.largestError > 0.5 && check.largestError <= 1));
      }
      convert(folder.file("whole"), folder.file("back"), {});
      const Converted parts = convert(folder.file("whole"), folder.file("parts"), {}, {161, {}});
      CHECK(contentOf(folder.file("parts")) == contentOf(folder.file("back")));
      checkConversion(parts.checkpoint, parts.plan, folder.file("parts"), {});
    }
}

TEST_CASE("conversions: a byte that changed is found, wherever it lies") {
  TemporaryFolder folder;
  const std::string model = writeModel(folder, 4, 64), output = folder.file("output");
  const Converted converted =
      convert(model, output, {BlockFormat::NVFP4, &conventions().front(), {}, {}, {}});
  const TensorFile file = TensorFile::read(output);
  const std::string whole = contentOf(output);
  const size_t dataBytes = [&] {
    size_t bytes = 0;
    for (const auto &[name, tensor] : file.tensors())
      bytes += tensor.data.size();
    return bytes;
  }();
  for (size_t at = whole.size() - dataBytes; at < whole.size(); at += 5) {
    std::string damaged = whole;
    damaged[at] = char(damaged[at] ^ 0x10);
    folder.write("output", damaged);
    CHECK_THAT(invalidInput([&] { checkConversion(converted.checkpoint, converted.plan, output, {}); }),
               Contains("tensor '"));
  }
}

TEST_CASE("streamed files: pieces in any order make the file that whole tensors make") {
  TemporaryFolder folder;
  std::vector<std::byte> a(40), b(24);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = std::byte(i), b[i % b.size()] = std::byte(100 + i);
  writeTensorFile(folder.file("whole"), std::vector<Tensor>{{"a", "U8", {40}, a}, {"b", "F32", {2, 3}, b}});
  const std::vector<TensorOutline> outlines = {{"a", "U8", {40}}, {"b", "F32", {2, 3}}};
  SafetensorsWriter parts(folder.file("parts"), outlines, {});
  parts.write(0, 30, std::span(a).subspan(30));
  parts.write(1, 8, std::span(b).subspan(8));
  parts.write(0, 0, std::span(a).first(30));
  CHECK_THAT(invalidInput([&] { parts.commit(); }), Contains("8 bytes of its tensors were not given"));
  CHECK_FALSE(std::filesystem::exists(folder.file("parts")));
  CHECK_THAT(invalidInput([&] { parts.write(1, 20, std::span(b).first(8)); }),
             Contains("tensor 'b': expected 24 bytes of data, found 28"));
  parts.write(1, 0, std::span(b).first(8));
  parts.commit();
  CHECK(contentOf(folder.file("parts")) == contentOf(folder.file("whole")));
}

TEST_CASE("mapped files: the same tensors as read ones, and the same mistakes") {
  TemporaryFolder folder;
  const std::string path = writeModel(folder, 3, 32);
  const TensorFile read = TensorFile::read(path), mapped = TensorFile::map(path);
  REQUIRE(read.names() == mapped.names());
  for (const auto &[name, tensor] : read.tensors())
    CHECK(std::ranges::equal(tensor.data, mapped.find(name)->data));
  mapped.release(mapped.find("a.weight")->data);
  std::vector<std::byte> others(1 << 16, std::byte(7)); // is no part of the file
  mapped.release(others);
  CHECK(std::ranges::count(others, std::byte(7)) == 1 << 16);
  CHECK(std::ranges::equal(read.find("a.weight")->data, mapped.find("a.weight")->data));
  CHECK_THAT(invalidInput([&] { TensorFile::map(folder.write("empty", "")); }),
             Contains("expected at least 8 bytes"));
  CHECK_THAT(invalidInput([&] { TensorFile::map(folder.file("none")); }), Contains("No such file"));
  CHECK_THAT(invalidInput([&] { TensorFile::map(folder.file(".")); }), Contains("it is a folder"));
  CHECK_THAT(invalidInput([&] { TensorFile::map("/dev/null"); }), Contains("expected a regular file"));
}
