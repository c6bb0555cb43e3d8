// ldmatrix and stmatrix of 8-bit matrices, which no H200 has: the fragments as they are known from sm_120 and
// CUTLASS.
#include "tests/unit/simulator/RunPtx.h"

#include <catch2/catch.hpp>

using namespace mxc::sim;

namespace {

/// A kernel that copies 512 input bytes to shared memory, has %a = its address of row `lane`, and ends with 4
/// registers a lane or 512 bytes of shared memory in the output.
std::string matrixKernel(const std::string &body, bool showsShared) {
  return kernelOf(R"(
    .shared .align 16 .b8 s[512]; .reg .b32 %i, %a, %r0, %r1, %r2, %r3; .reg .b64 %t, %g, %o;
    mov.u32 %i, %tid.x; mul.wide.u32 %t, %i, 16; add.s64 %g, %in, %t; add.s64 %o, %out, %t;
    mov.u32 %a, s; mad.lo.u32 %a, %i, 16, %a;
    ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%g]; st.shared.v4.u32 [%a], {%r0, %r1, %r2, %r3};
    bar.warp.sync -1;
  )" + body + "\nbar.warp.sync -1;\n" +
                  (showsShared ? "ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%a];\n" : "") +
                  "st.global.v4.u32 [%o], {%r0, %r1, %r2, %r3};\n");
}

std::vector<uint8_t> pattern() {
  std::vector<uint8_t> bytes(512);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = uint8_t(i * 37 + i / 16 * 11 + (i >> 8));
  return bytes;
}

} // namespace

TEST_CASE("ldmatrix of 16x16 bytes, transposed") {
  std::vector<uint8_t> in = pattern();
  auto out = runPtx<uint8_t>(
      matrixKernel("ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8 {%r0, %r1, %r2, %r3}, [%a];", false), in,
      512);
  for (size_t lane = 0; lane < 32; ++lane)
    for (size_t reg = 0; reg < 4; ++reg)
      for (size_t byte = 0; byte < 4; ++byte) {
        size_t row = reg / 2 * 16 + lane % 4 * 4 + byte, column = lane / 4 + reg % 2 * 8;
        REQUIRE(out[lane * 16 + reg * 4 + byte] == in[row * 16 + column]);
      }
}

TEST_CASE("ldmatrix of padded 4- and 6-bit elements") {
  std::vector<uint8_t> in = pattern();
  for (size_t bits : {4, 6}) {
    std::string format = bits == 4 ? "b4x16_p64" : "b6x16_p32";
    auto out = runPtx<uint8_t>(
        matrixKernel("ldmatrix.sync.aligned.m8n16.x4.shared.b8x16." + format + " {%r0, %r1, %r2, %r3}, [%a];",
                     false),
        in, 512);
    for (size_t lane = 0; lane < 32; ++lane)
      for (size_t reg = 0; reg < 4; ++reg)
        for (size_t byte = 0; byte < 4; ++byte) {
          size_t row = reg * 8 + lane / 4, expected = 0;
          for (size_t bit = 0, at = (lane % 4 * 4 + byte) * bits; bit < bits; ++bit, ++at)
            expected |= size_t(in[row * 16 + at / 8] >> at % 8 & 1) << bit;
          REQUIRE(out[lane * 16 + reg * 4 + byte] == expected);
        }
  }
}

TEST_CASE("stmatrix of 16x8 bytes, transposed") {
  std::vector<uint8_t> in = pattern();
  auto out = runPtx<uint8_t>(
      matrixKernel("stmatrix.sync.aligned.m16n8.x4.trans.shared.b8 [%a], {%r0, %r1, %r2, %r3};", true), in,
      512);
  for (size_t lane = 0; lane < 32; ++lane)
    for (size_t reg = 0; reg < 4; ++reg)
      for (size_t byte = 0; byte < 4; ++byte) {
        size_t row = reg * 8 + lane % 4 * 2 + byte % 2, column = lane / 4 + byte / 2 * 8;
        REQUIRE(out[row * 16 + column] == in[lane * 16 + reg * 4 + byte]);
      }
}

TEST_CASE("stmatrix is the inverse of ldmatrix") {
  std::vector<uint8_t> in = pattern();
  for (const char *words : {"m8n8.x4.shared.b16", "x4.m8n8.trans.shared::cta.b16"}) {
    std::string spelled = words;
    auto out =
        runPtx<uint8_t>(matrixKernel("ldmatrix.sync.aligned." + spelled + " {%r0, %r1, %r2, %r3}, [%a];\n" +
                                         "st.shared.v4.u32 [%a], {0, 0, 0, 0}; bar.warp.sync -1;\n" +
                                         "stmatrix.sync.aligned." + spelled + " [%a], {%r0, %r1, %r2, %r3};",
                                     true),
                        in, 512);
    CHECK(out == in);
  }
}

TEST_CASE("8-bit matrices need Blackwell, and all lanes") {
  PtxRun how;
  how.target = "sm_90a";
  std::string text = matrixKernel("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r0, %r1}, [%a];", false);
  text.replace(text.find("sm_100a"), 7, "sm_90a");
  PtxOutcome refused = runPtxBytes(text, std::vector<std::byte>(512), 512, how);
  REQUIRE(refused.fault);
  CHECK(refused.fault->kind == FaultKind::Illegal);
  how = {};
  how.block = {24, 1, 1};
  PtxOutcome part = runPtxBytes(matrixKernel("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%a];", false),
                                std::vector<std::byte>(512), 512, how);
  REQUIRE(part.fault);
  CHECK(part.fault->kind == FaultKind::Divergence);
}
