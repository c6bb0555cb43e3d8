// Checkpoints with damaged headers, in this process: an error or a whole conversion, never anything else.
#include "runtime/checkpoint/Conversion.h"
#include "runtime/checkpoint/ConversionCheck.h"
#include "tests/unit/runtime/Failure.h"
#include "tests/unit/runtime/TemporaryFolder.h"

#include <cstdlib>
#include <cstring>
#include <random>

using namespace mxc;

namespace {

using Outlines = std::vector<TensorOutline>;

std::string fileOf(const TemporaryFolder &folder, const Outlines &outlines) {
  const std::string path = folder.file("whole");
  SafetensorsWriter writer(path, outlines, {{"format", "pt"}});
  for (size_t tensor = 0; tensor < outlines.size(); ++tensor)
    writer.write(tensor, 0,
                 std::vector<std::byte>(size_t(tensorBytes(outlines[tensor].dtype, outlines[tensor].shape)),
                                        std::byte(0x3c)));
  writer.commit();
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What headers are made of, which mutations put in each other's places.
constexpr const char *kWords[] = {"0",
                                  "1",
                                  "2",
                                  "4",
                                  "32",
                                  "64",
                                  "-1",
                                  "4611686018427387904",
                                  "9223372036854775807",
                                  "18446744073709551615",
                                  "1e3",
                                  "BF16",
                                  "F32",
                                  "F16",
                                  "F64",
                                  "U8",
                                  "I8",
                                  "I32",
                                  "F8_E4M3",
                                  "F8_E8M0",
                                  "F4",
                                  "F6_E2M3",
                                  "BOOL",
                                  "weight",
                                  "weight_packed",
                                  "weight_scale",
                                  "weight_scale_2",
                                  "weight_global_scale",
                                  "input_scale",
                                  "weight_zero_point",
                                  "shape",
                                  "dtype",
                                  "data_offsets",
                                  "__metadata__",
                                  "a",
                                  "b",
                                  ".",
                                  "[",
                                  "]",
                                  "{",
                                  "}",
                                  ",",
                                  ":",
                                  "\"",
                                  "null",
                                  "\\u0000",
                                  "\xff"};

std::string mutated(const std::string &whole, std::mt19937 &random) {
  const auto below = [&](size_t most) { return size_t(random()) % most; };
  uint64_t length;
  std::memcpy(&length, whole.data(), sizeof length);
  std::string header = whole.substr(8, length), data = whole.substr(8 + length);
  for (size_t times = below(3) ? 1 : 1 + below(4); times > 0; --times) {
    const size_t at = below(header.size());
    switch (below(5)) {
    case 0: // another byte
      header[at] = char(random());
      break;
    case 1: // a word in a word's place
    case 2: {
      size_t begin = at, end = at;
      const auto isOfWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
      while (begin > 0 && isOfWord(header[begin - 1]))
        --begin;
      while (end < header.size() && isOfWord(header[end]))
        ++end;
      header.replace(begin, end - begin, kWords[below(std::size(kWords))]);
      break;
    }
    case 3: // a part twice
      header.insert(at, header.substr(below(header.size()), below(80)));
      break;
    default: // a part less
      header.erase(at, below(40));
    }
    if (header.empty()) header = "{";
  }
  if (below(32) == 0) data.resize(below(data.size() + 64));
  length = below(64) == 0 ? random() : header.size();
  std::string file(reinterpret_cast<const char *>(&length), sizeof length);
  return file + header + data;
}

/// Reads back what was written, as it must be whole.
bool converts(const std::string &from, const std::string &to, const ConversionRequest &request) {
  try {
    const Checkpoint checkpoint = Checkpoint::open(from);
    const ConversionPlan plan = planConversion(checkpoint, request);
    static const std::unique_ptr<RowConverter> converter = hostConverter();
    convertCheckpoint(checkpoint, plan, to, *converter, {});
    checkConversion(checkpoint, plan, to, {});
    return true;
  } catch (const Error &error) {
    if (error.kind() != ErrorKind::InvalidInput) FAIL(error.what());
    return false;
  }
}

void attack(int count) {
  TemporaryFolder folder;
  const std::string wholes[] = {
      fileOf(folder,
             {{"a.weight", "BF16", {2, 64}}, {"b.weight", "F32", {1, 32}}, {"norm.weight", "F32", {7}}}),
      fileOf(folder, {{"a.weight_packed", "U8", {2, 32}},
                      {"a.weight_scale", "F8_E4M3", {2, 4}},
                      {"a.weight_global_scale", "F32", {1}},
                      {"b.weight", "F8_E4M3", {2, 32}},
                      {"b.weight_scale", "U8", {2, 1}}}),
      fileOf(folder, {{"a.weight", "U8", {2, 32}},
                      {"a.weight_scale", "F8_E4M3", {2, 4}},
                      {"a.weight_scale_2", "F32", {}},
                      {"a.input_scale", "F32", {}},
                      {"ids", "I64", {1, 4}}})};
  std::vector<ConversionRequest> requests(1); // back
  for (const CheckpointFormat &format : checkpointFormats())
    requests.push_back({format.format, &conventions()[requests.size() % 2], {}, {}, {}});
  std::mt19937 random(7);
  int converted = 0;
  for (int i = 0; i < count; ++i) {
    const std::string file = mutated(wholes[size_t(i) % std::size(wholes)], random);
    INFO("mutant " << i);
    converted +=
        converts(folder.write("mutant", file), folder.file("output"), requests[random() % requests.size()]);
  }
  CHECK(folder.files() <= 3); // whole, mutant, output
  CHECK(converted > 0);       // some change nothing that matters
  WARN(converted << " of " << count << " mutants are checkpoints");
}

} // namespace

TEST_CASE("damaged headers: an error, or a conversion that is whole") { attack(2'000); }

TEST_CASE("damaged headers: many", "[.million]") {
  const char *count = std::getenv("MXC_TEST_HEADERS");
  attack(count ? std::atoi(count) : 1'000'000);
}
