// What an assembler gives back, damaged in every way: it is refused, and looking at it is safe.
#include "compiler/codegen/AssembledImage.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <random>

using namespace mxc;
using Catch::Contains;

namespace {

const std::string kPtx = ".version 9.0\n.target sm_90a\n.visible .entry k(\n.param .u64 x)\n{ ret; }\n"
                         ".visible .entry k$1 (.param .u64 x)\n{ ret; }\n";
const std::string kRecord = "the record of the kernels";

void put(std::string &bytes, size_t at, uint64_t value, size_t size) {
  std::memcpy(&bytes[at], &value, size);
}

/// ELF-64 with sections: null, names, code of both entries, the record.
std::string cubin() {
  const std::string names("\0.shstrtab\0.text.k\0.text.k$1\0.nv.global\0", 40);
  struct Section {
    uint32_t name;
    std::string content;
  };
  const Section sections[] = {{0, ""}, {1, names}, {11, "code"}, {19, "more code"}, {29, kRecord}};
  std::string bytes(64, '\0');
  std::vector<uint64_t> begins;
  for (const Section &section : sections) {
    begins.push_back(bytes.size());
    bytes += section.content;
  }
  const size_t table = bytes.size();
  bytes.resize(table + 64 * std::size(sections));
  for (size_t i = 0; i < std::size(sections); ++i) {
    const size_t row = table + 64 * i;
    put(bytes, row, sections[i].name, 4);
    put(bytes, row + 4, i == 0 ? 0 : 1, 4); // SHT_NULL, SHT_PROGBITS
    put(bytes, row + 24, begins[i], 8);
    put(bytes, row + 32, sections[i].content.size(), 8);
  }
  std::memcpy(bytes.data(),
              "\x7f"
              "ELF\2\1\1",
              7);
  put(bytes, 18, 190, 2); // EM_CUDA
  put(bytes, 40, table, 8);
  put(bytes, 58, 64, 2);
  put(bytes, 60, std::size(sections), 2);
  put(bytes, 62, 1, 2);
  return bytes;
}

} // namespace

TEST_CASE("assembled images: a whole one, and what is missing of others") {
  const std::string whole = cubin();
  CHECK(faultOfCubin(whole, kPtx, kRecord) == "");
  CHECK(faultOfCubin("", kPtx, kRecord) == "it is no cubin");
  CHECK(faultOfCubin(kPtx, kPtx, kRecord) == "it is no cubin");
  CHECK(faultOfCubin(whole, kPtx + ".entry other(", kRecord) == "it has no code of entry 'other'");
  CHECK(faultOfCubin(whole, kPtx, "another record") == "its ABI record is not the kernels'");
  std::string empty = whole; // the code of k has no bytes
  put(empty, whole.size() - 3 * 64 + 32, 0, 8);
  CHECK(faultOfCubin(empty, kPtx, kRecord) == "it has no code of entry 'k'");
  for (size_t bytes = 0; bytes < whole.size(); ++bytes)
    CHECK(faultOfCubin(whole.substr(0, bytes), kPtx, kRecord) != "");
  CHECK_THAT(faultOfImage(whole), Contains("ABI record"));
  CHECK(faultOfCode(whole) == "");
}

TEST_CASE("assembled images: any bytes are safe to look at") {
  const std::string whole = cubin();
  std::mt19937_64 random(11);
  size_t believed = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::string damaged = whole;
    for (uint64_t times = 1 + random() % 3; times > 0; --times) {
      const size_t at = random() % damaged.size();
      switch (random() % 3) {
      case 0:
        damaged[at] = char(random());
        break;
      case 1: { // a large number
        const uint64_t value = random() >> random() % 64;
        std::memcpy(&damaged[at], &value, std::min(sizeof value, damaged.size() - at));
        break;
      }
      default:
        damaged.resize(at + 1);
      }
    }
    const std::string exact(damaged.data(), damaged.size()); // a heap block of its size, for sanitizers
    believed += faultOfCubin(exact, kPtx, kRecord).empty();
    (void)faultOfImage(exact);
  }
  CHECK(believed > 0); // some change nothing that is looked at
}
