// Indices of shards: what is one, and what a stranger may send in its place.
#include "runtime/checkpoint/ShardIndex.h"
#include "runtime/environment/HostMemory.h"
#include "tests/unit/runtime/Failure.h"
#include "tests/unit/runtime/TemporaryFolder.h"

using namespace mxc;
using Catch::Contains;

TEST_CASE("indices of shards: tensors by shard, whatever else stands there") {
  TemporaryFolder folder;
  const auto read = [&](const std::string &text) { return readShardIndex(folder.write("index", text)); };
  const auto shards = read(R"({"metadata": {"weight_map": {"x": 1}, "y": [[1.5, -2, null, true]]},
                               "weight_map": {"b": "two", "a": "one", "c": "two"}, "z": "weight_map"})");
  CHECK(shards.at("one") == std::vector<std::string>{"a"});
  CHECK(shards.at("two") == std::vector<std::string>{"b", "c"});
  CHECK(read(R"({"weight_map": {}})").empty());
  for (const char *text :
       {"", "{", "[]", "3", "{}", R"({"weight_map": []})", R"({"weight_map": 3})",
        R"({"weight_map": {"a": 3}})", R"({"weight_map": {"a": null}})", R"({"weight_map": {"a": {}}})",
        R"({"weight_map": {"a": ["b"]}})", R"({"weight_map": {"a": "b"}} x)"})
    CHECK_THAT(invalidInput([&] { read(text); }),
               Contains("index: expected {\"weight_map\": {tensor: file}}"));
  CHECK_THAT(invalidInput([&] { read(R"({"weight_map": {"a": "b", "a": "c"}})"); }),
             Contains("'a' stands there twice"));
  CHECK_THAT(invalidInput([&] { read(R"({"weight_map": {"a": "b"}, "weight_map": {"a": "c"}})"); }),
             Contains("'weight_map' stands there twice"));
  for (const char *name : {"", "x/y", "/x", "../x"})
    CHECK_THAT(invalidInput([&] { read(R"({"weight_map": {"a": ")" + std::string(name) + "\"}}"); }),
               Contains("expected the name of a file beside the index"));
}

TEST_CASE("indices of shards: text without end is refused where it begins") {
  TemporaryFolder folder;
  const std::string path = folder.write("index", "{\"x\": " + std::string(20'000'000, '['));
  const uint64_t before = residentBytes();
  CHECK_THAT(invalidInput([&] { readShardIndex(path); }), Contains("expected at most 100 levels"));
  CHECK(residentBytes() < before + 60'000'000); // the text and little else
}
