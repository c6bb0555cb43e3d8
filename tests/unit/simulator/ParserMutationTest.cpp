// Damaged text: whatever it is, parse() returns or throws mxc::Error. (fuzz/KernelFuzz.cpp does more of it
// with libFuzzer.)
#include "tests/unit/simulator/ParsedText.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cctype>
#include <random>

using namespace mxc::test;

namespace {

const std::string kSeeds[] = {
    R"(.version 8.8
.target sm_100a
.address_size 64
.visible .global .align 16 .b8 x[2][4] = {{1, -2}, {0xFF, 3}};
.global .u64 t[2] = {generic(x)+8, x};
.global .u8 m[8] = {0xff(x), 0xff00(x), 0xff0000(x), 0xff000000(x), 0xff00000000(x), 0xff0000000000(x), 0xff000000000000(x), 0xff00000000000000(x)};
.const .f32 c = 1.5e-3; .extern .shared .align 1024 .b8 smem[];
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .align 8 .b8 b[16]);
)",
    R"(.version 9.4 .target sm_90a .func f(.param .b64 a);
.file 1 "a.cu"
.visible .entry k(.param .u64 .ptr .global .align 1 p, .param .align 64 .b8 q[128]) .reqntid 128, 1, 1 .maxnreg 64
{ .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<5>; .reg .v4 .f32 %v; .shared .align 8 .b8 s[16];
.loc 1 2 3
  ld.param.b64 %rd1, [p]; mov.u32 %r1, %tid.x; setp.lt.s32 %p1, %r1, -1; @!%p1 bra $L__BB0_2;
  { .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [s+8], %r2; @p bra D; bra.uni W; D: }
  tcgen05.ld.sync.aligned.32x32b.x4.b32{%r1, %r2, %r3, %r4}, [ %r5 + 0 ];
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd2, {%r3, 0}], [%r4+-16];
$L__BB0_2: elect.sync _|%p2, (1+2)*3; mov.b64 %rd3, {%v.x, 0f3F800000}; // c
  ts: .branchtargets $L__BB0_2, E; brx.idx %r1, ts; { .param .b64 a; call.uni f, (a), pr; pr: .callprototype _ (.param .b64 _); }
E: ret; }
.section .debug_info { .b8 1,2 })",
};

/// Words, numbers and single signs, with what is between them.
std::vector<std::string> pieces(const std::string &text) {
  std::vector<std::string> all;
  const auto isWord = [](char c) { return std::isalnum(uint8_t(c)) || c == '_' || c == '%' || c == '$'; };
  for (char c : text)
    if (!all.empty() && isWord(c) && isWord(all.back().back()))
      all.back() += c;
    else
      all.emplace_back(1, c);
  return all;
}

class Mutator {
public:
  explicit Mutator(uint32_t seed) : random_(seed) {}

  std::string mutated(std::string text) {
    const bool byTokens = below(2);
    std::vector<std::string> units = pieces(text);
    if (!byTokens) {
      units.clear();
      for (char c : text)
        units.emplace_back(1, c);
    }
    for (size_t i = 1 + below(4); i-- > 0 && !units.empty();)
      mutate(units, byTokens);
    std::string result;
    for (const std::string &unit : units)
      result += unit;
    return result;
  }

private:
  size_t below(size_t bound) { return random_() % bound; }
  void mutate(std::vector<std::string> &units, bool byTokens) {
    static const char *const kWords[] = {"{",
                                         "}",
                                         "[",
                                         "]",
                                         "(",
                                         ")",
                                         ",",
                                         ";",
                                         ":",
                                         ".",
                                         "-",
                                         "<",
                                         "0x",
                                         "\"",
                                         "/*",
                                         "_",
                                         "99999999999999999999",
                                         ".reg",
                                         ".param",
                                         "bra",
                                         "|",
                                         "@",
                                         "!",
                                         "%",
                                         "0f",
                                         "\n",
                                         "="};
    const size_t at = below(units.size());
    const auto place = units.begin() + ptrdiff_t(at);
    switch (below(6)) {
    case 0:
      units.erase(place);
      break;
    case 1:
      units.insert(place, kWords[below(std::size(kWords))]);
      break;
    case 2:
      *place = byTokens ? units[below(units.size())] : std::string(1, char(below(256)));
      break;
    case 3:
      std::swap(*place, units[below(units.size())]);
      break;
    case 4:
      units.resize(at);
      break;  // cut
    case 5: { // a stretch once more
      const size_t count = std::min(units.size() - at, 1 + below(40));
      const std::vector<std::string> copy(place, place + ptrdiff_t(count));
      const size_t target = below(units.size());
      units.insert(units.begin() + ptrdiff_t(target), copy.begin(), copy.end());
    }
    }
  }
  std::mt19937 random_;
};

} // namespace

TEST_CASE("parser: the seeds are right") {
  for (const std::string &seed : kSeeds)
    CHECK(errorOf(seed) == "no error");
}

TEST_CASE("parser: damaged text gives an error or a module") {
  Mutator mutator(20'260'101);
  size_t refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = mutator.mutated(kSeeds[i % 2]);
    std::string error;
    REQUIRE_NOTHROW(error = errorOf(text));
    REQUIRE(error != "wrong kind");
    if (error != "no error") REQUIRE(error.starts_with("t:"));
    refused += error != "no error";
  }
  CHECK(refused > 5'000);
}

TEST_CASE("parser: every prefix of a text gives an error or a module") {
  for (const std::string &seed : kSeeds)
    for (size_t size = 0; size < seed.size(); ++size)
      REQUIRE_NOTHROW(errorOf(seed.substr(0, size)));
}
