#include "runtime/files/Safetensors.h"
#include "runtime/device/ElementTypes.h"
#include "tests/unit/runtime/Failure.h"
#include "tests/unit/runtime/TemporaryFolder.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <sys/resource.h>

using namespace mxc;
using Catch::Contains;

namespace {
/// While it lives, files grow no larger than `bytes`.
struct FileSizeLimit {
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &old);
    rlimit limit{bytes, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    oldHandler = signal(SIGXFSZ, SIG_IGN);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, oldHandler);
  }
  rlimit old;
  sighandler_t oldHandler;
};
} // namespace

static std::vector<std::byte> pattern(size_t bytes) {
  std::vector<std::byte> result(bytes);
  for (size_t i = 0; i < bytes; ++i)
    result[i] = static_cast<std::byte>(i * 31 + bytes);
  return result;
}
static std::string textOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("what is written is read back, metadata included", "[safetensors]") {
  TemporaryFolder folder;
  std::vector<std::byte> a = pattern(2 * 3 * 5), b = pattern(7), c = pattern(4);
  writeTensorFile(folder.file("t"),
                  std::vector<Tensor>{{"b", "F8_E4M3", {7}, b},
                                      {"a", "BF16", {3, 5}, a},
                                      {"scalar \"\u00e9\"", "F32", {}, c}},
                  {{"format", "mxc"}});
  TensorFile file = TensorFile::read(folder.file("t"));
  CHECK(file.names() == std::vector<std::string>{"a", "b", "scalar \"\u00e9\""});
  REQUIRE(file.find("a"));
  CHECK((file.find("a")->dtype == "BF16" && file.find("a")->shape == std::vector<int64_t>{3, 5}));
  CHECK(std::ranges::equal(file.find("a")->data, a));
  CHECK(std::ranges::equal(file.find("b")->data, b));
  CHECK((file.find("scalar \"\u00e9\"")->shape.empty() &&
         std::ranges::equal(file.find("scalar \"\u00e9\"")->data, c)));
  CHECK(file.find("nothing") == nullptr);
  CHECK(file.metadata() == std::map<std::string, std::string>{{"format", "mxc"}});
  CHECK(folder.files() == 1);
}

TEST_CASE("every dtype survives the round trip", "[safetensors]") {
  TemporaryFolder folder;
  std::vector<std::vector<std::byte>> data;
  std::vector<Tensor> tensors;
  for (const ElementType &type : elementTypes())
    data.push_back(pattern(static_cast<size_t>(type.bits)));
  for (size_t i = 0; i < data.size(); ++i) // eight elements of n bits are n bytes
    tensors.push_back({"t" + std::to_string(i), std::string(elementTypes()[i].safetensors), {2, 4}, data[i]});
  writeTensorFile(folder.file("t"), tensors);
  TensorFile file = TensorFile::read(folder.file("t"));
  for (const Tensor &tensor : tensors) {
    INFO(tensor.dtype);
    REQUIRE(file.find(tensor.name));
    CHECK(file.find(tensor.name)->dtype == tensor.dtype);
    CHECK(std::ranges::equal(file.find(tensor.name)->data, tensor.data));
  }
}

TEST_CASE("data lies at multiples of its element's size", "[safetensors]") {
  TemporaryFolder folder;
  std::vector<std::byte> odd = pattern(3), wide = pattern(16);
  writeTensorFile(folder.file("t"), std::vector<Tensor>{{"a", "U8", {3}, odd}, {"b", "F64", {2}, wide}});
  TensorFile file = TensorFile::read(folder.file("t"));
  CHECK(reinterpret_cast<uintptr_t>(file.find("b")->data.data()) % 8 == 0);
  std::string text = textOf(folder.file("t"));
  uint64_t header;
  std::memcpy(&header, text.data(), 8);
  CHECK(header % 8 == 0);
  CHECK((text[8] == '{' && text.size() == 8 + header + 19));
}

TEST_CASE("tensors of no elements and files of no tensors", "[safetensors]") {
  TemporaryFolder folder;
  std::vector<std::byte> one = pattern(1);
  writeTensorFile(
      folder.file("t"),
      std::vector<Tensor>{{"e", "BF16", {0, 5}, {}}, {"o", "I8", {1}, one}, {"z", "I8", {0}, {}}});
  TensorFile file = TensorFile::read(folder.file("t"));
  CHECK((file.find("e")->data.empty() && file.find("e")->shape == std::vector<int64_t>{0, 5}));
  CHECK(file.find("o")->data.size() == 1);
  writeTensorFile(folder.file("none"), {});
  CHECK(TensorFile::read(folder.file("none")).names().empty());
}

TEST_CASE("a file stays readable when moved", "[safetensors]") {
  TemporaryFolder folder;
  std::vector<std::byte> data = pattern(100);
  writeTensorFile(folder.file("t"), std::vector<Tensor>{{"a", "U8", {100}, data}});
  TensorFile first = TensorFile::read(folder.file("t")), second = std::move(first);
  CHECK(std::ranges::equal(second.find("a")->data, data));
}

TEST_CASE("ill-formed tensors are not written", "[safetensors]") {
  TemporaryFolder folder;
  std::vector<std::byte> data = pattern(4);
  auto refusal = [&](std::vector<Tensor> tensors) {
    std::string message = invalidInput([&] { writeTensorFile(folder.file("t"), tensors); });
    CHECK(folder.files() == 0);
    return message;
  };
  CHECK_THAT(refusal({{"a", "F32", {2}, data}}), Contains("tensor 'a': expected 8 bytes of data, found 4"));
  CHECK_THAT(refusal({{"a", "F99", {1}, data}}), Contains("unknown dtype 'F99'") && Contains("F8_E4M3"));
  CHECK_THAT(refusal({{"a", "U8", {-4}, data}}), Contains("negative size"));
  CHECK_THAT(refusal({{"a", "F4", {3}, data}}), Contains("expected whole bytes, found 12 bits"));
  CHECK_THAT(refusal({{"a", "U8", {int64_t(1) << 62, 4}, data}}), Contains("exceeds 2^63-1 bits"));
  CHECK_THAT(refusal({{"", "F32", {1}, data}}), Contains("expected a name"));
  CHECK_THAT(refusal({{"__metadata__", "F32", {1}, data}}), Contains("expected a name"));
  CHECK_THAT(refusal({{"a", "F32", {1}, data}, {"a", "F32", {1}, data}}),
             Contains("two tensors are named 'a'"));
  CHECK_THAT(refusal({{"\xff", "F32", {1}, data}}), Contains("UTF-8"));
}

TEST_CASE("a place that cannot be written is named, and nothing partial stays", "[safetensors]") {
  TemporaryFolder folder;
  std::vector<std::byte> data = pattern(4);
  std::vector<Tensor> tensors{{"a", "F32", {1}, data}};
  CHECK_THAT(invalidInput([&] { writeTensorFile(folder.file("no/t"), tensors); }),
             Contains("cannot write " + folder.file("no/t") + ": No such file or directory"));
  std::filesystem::create_directories(folder.file("folder/inside"));
  CHECK_THAT(invalidInput([&] { writeTensorFile(folder.file("folder"), tensors); }),
             Contains("cannot write"));
  CHECK(folder.files() == 1);
  CHECK_THAT(invalidInput([&] { writeTensorFile("/proc/mxc-test", tensors); }),
             Contains("cannot write /proc/mxc-test"));
}

TEST_CASE("a full disk leaves the old file as it was", "[safetensors]") {
  TemporaryFolder folder;
  std::string path = folder.write("t", "old");
  std::vector<std::byte> data = pattern(1 << 20);
  std::vector<Tensor> tensors{{"a", "U8", {1 << 20}, data}};
  // A limit on the size of files stands in for the disk: writes fail beyond it.
  {
    FileSizeLimit limit(1 << 16);
    CHECK_THAT(invalidInput([&] { writeTensorFile(path, tensors); }),
               Contains("cannot write " + path + ": File too large"));
  }
  CHECK(textOf(path) == "old");
  CHECK(folder.files() == 1);
  writeTensorFile(path, tensors);
  CHECK(TensorFile::read(path).find("a"));
}
