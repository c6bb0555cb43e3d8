// Codes below 8 bits in memory: element 0 in the lowest bits, nothing between elements.
#include "dialect/formats/PackedCodes.h"
#include "tests/unit/formats/Samples.h"

#include <catch2/catch.hpp>

using namespace mxc;

static std::vector<uint8_t> packed(ElementFormat format, const std::vector<uint8_t> &codes) {
  std::vector<uint8_t> bytes(size_t(storageBytes(format, int64_t(codes.size()))) + 1, 0xA5);
  packCodes(format, codes, bytes.data());
  CHECK(bytes.back() == 0xA5); // nothing after it
  bytes.pop_back();
  return bytes;
}

TEST_CASE("storage: bytes of whole and of begun bytes, without overflow") {
  CHECK(storageBytes(ElementFormat::E2M1, 1) == 1);
  CHECK(storageBytes(ElementFormat::E2M1, 6) == 3);
  CHECK(storageBytes(ElementFormat::E3M2, 4) == 3);
  CHECK(storageBytes(ElementFormat::E2M3, 5) == 4);
  CHECK(storageBytes(ElementFormat::E4M3, 5) == 5);
  CHECK(storageBytes(32, 3) == 12);
  CHECK(storageBytes(ElementFormat::E2M1, INT64_MAX) == int64_t(1) << 62);
  CHECK(storageBytes(ElementFormat::E2M1, 0) == 0);
}

TEST_CASE("packed codes: two e2m1 a byte, four of 6 bits in three bytes, the first in the lowest bits") {
  CHECK(packed(ElementFormat::E2M1, {0x1, 0x2, 0xF}) == std::vector<uint8_t>{0x21, 0x0F});
  CHECK(packed(ElementFormat::E3M2, {0x01, 0x02, 0x03, 0x3F}) == std::vector<uint8_t>{0x81, 0x30, 0xFC});
  CHECK(packed(ElementFormat::E4M3, {0x7F, 0x80}) == std::vector<uint8_t>{0x7F, 0x80});
}

TEST_CASE("packed codes: what was packed is unpacked, bits above the width are dropped") {
  for (ElementFormat format : test::kElements) {
    std::vector<uint8_t> codes(1001), back(codes.size());
    for (size_t i = 0; i < codes.size(); ++i)
      codes[i] = uint8_t(i * 37 + i / 7);
    unpackCodes(format, packed(format, codes).data(), back);
    for (size_t i = 0; i < codes.size(); ++i)
      REQUIRE(back[i] == (codes[i] & ((1 << info(format).bits()) - 1)));
  }
}
