#include "runtime/simulator/instructions/PrintFormat.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <vector>

using namespace mxc::sim;

namespace {

/// The text of a format, its arguments given as bits; strings live at addresses from 100 on.
std::string printed(const std::string &format, std::vector<uint64_t> arguments = {},
                    const std::vector<std::string> &texts = {}) {
  size_t next = 0;
  const PrintSource source{[&](uint32_t bytes) {
                             REQUIRE(next < arguments.size());
                             const uint64_t bits = arguments[next++];
                             return bytes == 4 ? uint64_t(uint32_t(bits)) : bits;
                           },
                           [&](uint64_t address) { return texts.at(address - 100); }};
  const PrintedFormat result = printFormat(format, source);
  CHECK(result.arguments == int(next));
  return result.text;
}
uint64_t bitsOf(double value) { return __builtin_bit_cast(uint64_t, value); }

} // namespace

TEST_CASE("printf in kernels: integers of every width") {
  CHECK(printed("[%d %i %u %x %X %o %c]", {uint64_t(-5), 7, uint64_t(-1), 255, 255, 8, 'z'}) ==
        "[-5 7 4294967295 ff FF 10 z]");
  CHECK(printed("%ld %llu %zu %lld", {uint64_t(-5), ~uint64_t(0), 1ull << 40, 1ull << 63}) ==
        "-5 18446744073709551615 1099511627776 -9223372036854775808");
  CHECK(printed("%hd %hu %hhd %hhu", {0x18000, 0x18000, 0x1ff, 0x1ff}) == "-32768 32768 -1 255");
  CHECK(printed("%5d|%-5d|%05d|%+d|% d|%#x", {1, 2, 3, 4, 5, 6}) == "    1|2    |00003|+4| 5|0x6");
  CHECK(printed("%*d|%-*d|%.*f", {4, 1, uint64_t(-4), 2, 2, bitsOf(0.125)}) == "   1|2   |0.12");
}

TEST_CASE("printf in kernels: numbers, strings, pointers") {
  CHECK(printed("%f %.2f %e %g %G %a", {bitsOf(1.5), bitsOf(2.345), bitsOf(1e10), bitsOf(1e-5), bitsOf(1e-5),
                                        bitsOf(1.0)}) == "1.500000 2.35 1.000000e+10 1e-05 1E-05 0x1p+0");
  CHECK(printed("<%s> <%6s> <%.2s> <%s>", {100, 100, 100, 0}, {"abc"}) == "<abc> <   abc> <ab> <(null)>");
  CHECK(printed("%p", {0x7f0012345678}) == "0x7f0012345678");
}

TEST_CASE("printf in kernels: what is no conversion is printed as it stands") {
  CHECK(printed("100%% of %y, %n, 7%") == "100% of %y, %n, 7%");
  CHECK(printed("") == "");
  CHECK(printed("%99999999999999999999d", {1}).size() == 65536);
  CHECK(printed("%.*d", {0x7fffffff, 1}).size() == 65536);
  std::string many, plain;
  for (int i = 0; i < 40; ++i)
    many += "%d", plain += i < 32 ? "1" : "%d";
  CHECK(printed(many, std::vector<uint64_t>(32, 1)) == plain); // no more than 32 arguments
}
