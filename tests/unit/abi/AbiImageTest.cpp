// Records inside images: cubins, fatbins, PTX text, and damage.
#include "dialect/formats/Error.h"
#include "tests/unit/abi/Samples.h"

#include <catch2/catch.hpp>
#include <zlib.h>

#include <random>

using namespace mxc;
using namespace mxc::test;

namespace {

std::string garbage(size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  std::string bytes(size, '\0');
  for (char &byte : bytes)
    byte = char(random());
  return bytes;
}

std::vector<std::string> targetsIn(const std::string &image) {
  std::vector<std::string> targets;
  for (const ModuleAbi &abi : abiFromImage(image))
    targets.push_back(abi.target);
  return targets;
}

using Targets = std::vector<std::string>;

std::string recordWithPayload(const std::string &payload) {
  std::string record = abiRecord(sampleAbi()).substr(0, 16);
  const uint64_t fields[] = {payload.size(),
                             crc32(0, reinterpret_cast<const Bytef *>(payload.data()), uInt(payload.size()))};
  record.append(reinterpret_cast<const char *>(fields),
                sizeof fields); // the tests run on little-endian hosts
  return record + payload;
}

std::string ptxWith(const std::string &record, const std::string &space) {
  std::string list;
  for (unsigned char byte : record)
    list += (list.empty() ? "" : ", ") + std::to_string(byte);
  return ".version 8.0\n.target sm_90a\n.visible " + space + " .align 16 .b8 __mxc_abi[" +
         std::to_string(record.size()) + "] = {" + list + "};\n.visible .entry k() { ret; }\n";
}

} // namespace

TEST_CASE("the record's header is as documented") {
  const std::string record = abiRecord(sampleAbi());
  CHECK(record.substr(0, 16) == std::string("MXC-ABI\0"
                                            "00000003",
                                            16));
  CHECK(record == recordWithPayload(abiToJson(sampleAbi())));
  CHECK(targetsIn(record) == Targets{"sm_90a"});
}

TEST_CASE("a record is found in garbage, whatever its alignment") {
  const std::string record = abiRecord(sampleAbi());
  for (size_t shift : {0, 1, 7, 16, 1000})
    CHECK(targetsIn(garbage(shift, 1) + record + garbage(500, 2)) == Targets{"sm_90a"});
}

TEST_CASE("a fatbin's records are all found, in order") {
  const std::string image = garbage(64, 3) + abiRecord(sampleAbi("sm_90a")) + garbage(5, 4) +
                            abiRecord(sampleAbi("sm_100a")) + abiRecord(sampleAbi("sm_103a"));
  CHECK(targetsIn(image) == Targets{"sm_90a", "sm_100a", "sm_103a"});
}

TEST_CASE("images without a record") {
  CHECK(targetsIn("").empty());
  CHECK(targetsIn(garbage(100'000, 5)).empty());
  CHECK(targetsIn(".visible .entry k() { ret; }").empty());
}

TEST_CASE("a record cut short anywhere is not read") {
  const std::string record = abiRecord(sampleAbi());
  for (size_t size = 0; size < record.size(); size += 7)
    REQUIRE(targetsIn(record.substr(0, size)).empty());
  CHECK(targetsIn(record.substr(0, record.size() - 1)).empty());
}

TEST_CASE("a flipped bit anywhere is noticed, and the next record still found") {
  const std::string record = abiRecord(sampleAbi("sm_90a"));
  for (size_t i = 0; i < record.size(); i += 3) {
    std::string damaged = record;
    damaged[i] = char(damaged[i] ^ 4);
    REQUIRE(targetsIn(damaged + abiRecord(sampleAbi("sm_100a"))) == Targets{"sm_100a"});
  }
}

TEST_CASE("hostile lengths and payloads are skipped") {
  const std::string good = abiRecord(sampleAbi());
  for (uint64_t length :
       {~uint64_t(0), uint64_t(1) << 63, ~uint64_t(0) - 31, uint64_t(1) << 24, uint64_t(1) << 40}) {
    std::string hostile = good.substr(0, 16);
    hostile.append(reinterpret_cast<const char *>(&length), 8);
    CHECK(targetsIn(hostile + good.substr(24) + good) == Targets{"sm_90a"});
  }
  for (const std::string &payload :
       {std::string("{}"), std::string("nonsense"), std::string(), std::string(1'000'000, '[')})
    CHECK(targetsIn(recordWithPayload(payload) + good) == Targets{"sm_90a"});
}

TEST_CASE("a length beyond the image is refused even where the checksum fits what is there") {
  std::string record = abiRecord(sampleAbi());
  record[16] = char(record[16] ^ 0x80); // some 128 bytes more, or less: both are wrong
  CHECK(targetsIn(record).empty());
  const uint64_t longer = record.size() - 32 + 20;
  record.replace(16, 8, reinterpret_cast<const char *>(&longer), 8);
  CHECK(targetsIn(record).empty());
}

TEST_CASE("many overlapping false records do not take quadratic time") {
  const std::string magic = abiRecord(sampleAbi()).substr(0, 16);
  const uint64_t fields[] = {1 << 20, 0};
  std::string image;
  for (int i = 0; i < 200'000; ++i)
    image.append(magic).append(reinterpret_cast<const char *>(fields), sizeof fields);
  CHECK(targetsIn(image).empty());
}

TEST_CASE("records of another version say what to do") {
  std::string old = abiRecord(sampleAbi());
  old[15] = '2';
  for (const std::string &image : {garbage(100, 6) + old, ptxWith(old, ".global")}) {
    CHECK(targetsIn(image).empty());
    CHECK(whyNoRecord(image) ==
          "it carries version 2 of the ABI, and this mxc reads version 3 alone: compile the "
          "kernel again with this mxc");
  }
  for (const std::string &image : {std::string(), garbage(100'000, 7), abiRecord(sampleAbi()).substr(0, 100),
                                   std::string("MXC-ABI\0abc", 11), std::string("MXC-ABI\0-0000001", 16)})
    CHECK_THAT(whyNoRecord(image), Catch::Contains("it holds no intact ABI record: it was not made by mxc"));
}

TEST_CASE("PTX text, as LLVM prints it") {
  for (const char *space : {".const", ".global"})
    CHECK(targetsIn(ptxWith(abiRecord(sampleAbi("sm_100a")), space)) == Targets{"sm_100a"});
}

TEST_CASE("PTX text with other spacing, a declaration before it, or damage") {
  std::string ptx = ptxWith(abiRecord(sampleAbi()), ".const");
  std::string spaced = ptx;
  for (size_t at = 0; (at = spaced.find(", ", at)) != spaced.npos; at += 4)
    spaced.replace(at, 2, " ,\n\t");
  CHECK(targetsIn(spaced) == Targets{"sm_90a"});
  CHECK(targetsIn(".extern .const .b8 __mxc_abi[];\n" + ptx) == Targets{"sm_90a"});
  for (const char *ending : {"__mxc_abi", "__mxc_abi[", "__mxc_abi[9", "__mxc_abi[9] =", "__mxc_abi[9] = {77",
                             "__mxc_abi[9] = {999}"})
    CHECK(targetsIn(ptx + ending) == Targets{"sm_90a"});
  CHECK(targetsIn(ptx.substr(0, ptx.size() / 2)).empty());
  CHECK(targetsIn(ptx.replace(ptx.find("{77,"), 4, "{333,")).empty()); // 77 + 256 is no byte
}
