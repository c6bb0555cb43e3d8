// What a comparison excuses after an inexact prologue, and what it never does.
#include "compiler/reference/OutputComparison.h"
#include "compiler/reference/QuantizeTolerance.h"
#include "dialect/formats/Error.h"
#include "tests/unit/compiler/KernelText.h"

#include <catch2/catch.hpp>

#include <limits>

using namespace mxc;

namespace {

/// A quantization of one block, with values of which the first is the maximum.
struct Case {
  KernelAbi abi;
  KernelReference reference;
  std::vector<uint8_t> q, s;

  explicit Case(float maximum, bool isExact) {
    abi = abiOf("mx.kernel @k(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) { "
                "mx.quantize "
                "ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) }");
    reference.rule = QuantizeRule();
    reference.values.assign(32, 0.0f);
    reference.values[0] = maximum;
    if (!isExact)
      reference.tolerance = quantizeTolerance({{"q", "s", ScaleLayout::Dense, {.rows = 1, .columns = 32}}});
    q.resize(32);
    s = {uint8_t(quantizeBlock(reference.values, reference.rule, q.data()))};
    reference.outputs = {{"q", q}, {"s", s}};
  }

  int64_t wrong(const char *name) const {
    for (const OutputComparison &output :
         compareOutputs(abi, {{"M", 1}, {"K", 32}}, reference,
                        {{"q", std::as_bytes(std::span(q))}, {"s", std::as_bytes(std::span(s))}}))
      if (output.name == name) return output.wrong;
    return -1;
  }
};

} // namespace

TEST_CASE("comparison: after exact operations every byte must agree") {
  Case exact(448.0f, true);
  CHECK(exact.wrong("q") == 0);
  CHECK(exact.wrong("s") == 0);
  exact.q[0] ^= 1;
  CHECK(exact.wrong("q") == 1);
  CHECK(exact.wrong("s") == 0);
}

TEST_CASE("comparison: the first wrong elements are shown with place and values") {
  Case exact(448.0f, true);
  exact.q[3] = 0x38;
  auto outputs =
      compareOutputs(exact.abi, {{"M", 1}, {"K", 32}}, exact.reference,
                     {{"q", std::as_bytes(std::span(exact.q))}, {"s", std::as_bytes(std::span(exact.s))}});
  CHECK(outputs.front().firstWrong ==
        std::vector<std::string>{"q(row 0, column 3): expected 0x00 (0), found 0x38 (1)"});
}

TEST_CASE("comparison: what may differ is the operation's own rule, by output and element") {
  struct OnlyCode7 : OutputTolerance {
    bool allows(const std::string &name, int64_t element) const override {
      return name == "q" && element == 7;
    }
  };
  Case own(448.0f, true);
  own.q[7] ^= 1, own.q[8] ^= 1, own.s[0] ^= 1;
  CHECK(own.wrong("q") == 2);
  own.reference.tolerance = {"a rule of its own", [](const KernelReference &, const HostTensors &found) {
                               CHECK(found.size() == 2);
                               return std::make_unique<OnlyCode7>();
                             }};
  CHECK(own.wrong("q") == 1);
  CHECK(own.wrong("s") == 1);
}

TEST_CASE("comparison: an output of another size is an error") {
  Case exact(1.0f, true);
  exact.q.pop_back();
  CHECK_THROWS_AS(exact.wrong("q"), Error);
}

TEST_CASE("comparison: after an inexact prologue a scale at a boundary may be off by one, with its codes") {
  Case boundary(448.0f, false); // the largest maximum of its scale
  CHECK(boundary.s[0] == 127);
  boundary.s[0] = 128;
  boundary.q[0] = 0x76; // 224 times 2
  CHECK(boundary.wrong("s") == 0);
  CHECK(boundary.wrong("q") == 0);
  boundary.s[0] = 126; // 2^-14 below 448 the scale is the same
  CHECK(boundary.wrong("s") == 1);

  Case inside(440.0f, false);
  inside.s[0] = 128;
  CHECK(inside.wrong("s") == 1);
}

TEST_CASE("comparison: after an inexact prologue a code may be a neighbour only next to the middle") {
  Case middle(436.0f, false);
  middle.reference.values[1] = 17.0f; // between 16 and 18
  for (uint8_t code : {0x58, 0x59}) { // 16, 18
    middle.q[1] = code;
    CHECK(middle.wrong("q") == 0);
  }
  middle.q[1] = 0x5A; // 20
  CHECK(middle.wrong("q") == 1);
  middle.reference.values[1] = 16.5f;
  middle.q[1] = 0x59;
  CHECK(middle.wrong("q") == 1);
}

TEST_CASE("comparison: NaN is never excused") {
  Case nan(std::numeric_limits<float>::quiet_NaN(), false);
  CHECK(nan.s[0] == 0xFF);
  nan.q[5] = 0x00;
  CHECK(nan.wrong("q") == 1);
  nan.s[0] = 254;
  CHECK(nan.wrong("s") == 1);
}
