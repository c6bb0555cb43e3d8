#include "tests/unit/jit/CacheSample.h"

#include <catch2/catch.hpp>

using namespace mxc;

TEST_CASE("cache entry: what was written is read", "[cache]") {
  const CacheEntry entry = sampleEntry(1);
  std::optional<CacheEntry> read = decodeEntry("key", encodeEntry("key", entry));
  REQUIRE(read);
  CHECK((read->image == entry.image));
  CHECK(read->warnings == "warning: none");
  CHECK(read->kernels == "quantize");
  CHECK(read->target == "sm_90a");
  CHECK(read->stage == "cubin");
}

TEST_CASE("cache entry: of another key it is none", "[cache]") {
  CHECK_FALSE(decodeEntry("other", encodeEntry("key", sampleEntry(1))));
}

TEST_CASE("cache entry: cut off anywhere, or longer, it is none", "[cache]") {
  std::string bytes = encodeEntry("key", {"image", "", "k", "sm_90a", "ptx"});
  for (size_t length = 0; length < bytes.size(); ++length)
    CHECK_FALSE(decodeEntry("key", bytes.substr(0, length)));
  CHECK_FALSE(decodeEntry("key", bytes + '\0'));
}

TEST_CASE("cache entry: with any bit flipped it is none", "[cache]") {
  const std::string bytes = encodeEntry("key", {"image", "", "k", "sm_90a", "ptx"});
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] ^= static_cast<char>(1 << bit % 8);
    CHECK_FALSE(decodeEntry("key", damaged));
  }
}

TEST_CASE("cache entry: lengths that lead out of it make none", "[cache]") {
  std::string members = "mxc kernel 1\n" + std::string(8, '\xff'); // a right hash over wrong lengths
  const ContentHash hash = contentHash({members});
  CHECK_FALSE(decodeEntry("key", members + std::string(hash.begin(), hash.end())));
}

TEST_CASE("content hash: parts are told from each other", "[cache]") {
  CHECK(contentHash({"ab", "c"}) != contentHash({"a", "bc"}));
  CHECK(contentHash({"ab"}) != contentHash({"ab", ""}));
  CHECK(hexadecimal(contentHash({})) ==
        "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"); // BLAKE3 of nothing
}
