// Loads, stores and atomics through the engine: spaces, widths, and what is refused or reported.
#include "tests/unit/simulator/RunPtx.h"

#include <catch2/catch.hpp>

#include <numeric>

using namespace mxc::sim;

namespace {

std::vector<uint32_t> ramp(size_t count) {
  std::vector<uint32_t> values(count);
  std::iota(values.begin(), values.end(), 0x01020304u);
  return values;
}

/// The fault of a kernel that declares %r, %rd and %p and has lane * 4 in %rd0.
Fault faultOf(const std::string &body, Checks checks = Checks::Standard, size_t outputBytes = 128) {
  std::string text = ".shared .align 16 .b8 s[256];\n.reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<4>;\n"
                     "mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 2; cvt.u64.u32 %rd0, %r1;\n";
  std::vector<std::byte> input(128, std::byte(1));
  PtxRun how;
  how.checks = checks;
  PtxOutcome outcome = runPtxBytes(kernelOf(text + body), input, outputBytes, how);
  REQUIRE(outcome.fault);
  return *outcome.fault;
}

} // namespace

TEST_CASE("loads extend, stores truncate, vectors split") {
  auto output = runPtx<uint64_t>(kernelOf(R"(
    .reg .b64 %a, %b, %c, %d; .reg .b16 %h, %g; .reg .b32 %x, %y, %z, %w; .reg .b64 %t, %o; .reg .b32 %i;
    mov.u32 %i, %tid.x; mul.wide.u32 %t, %i, 16; add.s64 %t, %in, %t;
    mul.wide.u32 %o, %i, 64; add.s64 %o, %out, %o;
    ld.global.s8 %a, [%t+3]; ld.global.u8 %b, [%t+3]; ld.global.s16 %c, [%t+2]; ld.global.s32 %d, [%t];
    st.global.v2.u64 [%o], {%a, %b};
    st.global.v4.b64 [%o+32], {%a, %b, %c, %d};
    st.global.u64 [%o+16], %c; st.global.b64 [%o+24], %d;
    ld.global.v4.u16 {%x, _, %y, %z}, [%t+8];
    st.global.v4.u16 [%o+16], {%x, %y, %z, %d};
  )"),
                                 std::vector<uint32_t>(128, 0x80f00201), 256);
  for (size_t lane = 0; lane < 32; ++lane) {
    const uint64_t *o = &output[lane * 8];
    CHECK(o[0] == 0xffffffffffffff80);
    CHECK(o[1] == 0x80);
    CHECK(o[2] == 0x020180f002010201); // d, z, y, x of 16 bits: the order in memory is x, y, z, d
    CHECK(o[3] == 0xffffffff80f00201);
    CHECK(o[6] == 0xffffffffffff80f0);
  }
}

TEST_CASE("generic addresses of three spaces in one instruction") {
  auto output = runPtx<uint32_t>(kernelOf(R"(
    .shared .align 4 .b8 s[128]; .local .align 4 .b8 l[16];
    .reg .b32 %i, %v, %q; .reg .b64 %g, %h, %k, %t, %o; .reg .pred %p, %p2;
    mov.u32 %i, %tid.x; mul.wide.u32 %t, %i, 4; add.s64 %o, %out, %t; add.s64 %g, %in, %t;
    mov.u64 %h, s; cvta.shared.u64 %h, %h; add.s64 %h, %h, %t;
    mov.u64 %k, l; cvta.local.u64 %k, %k; add.s64 %k, %k, 4;
    mul.lo.u32 %q, %i, 3; add.u32 %v, %q, 100;
    st.u32 [%h], %q; st.u32 [%k], %v;
    rem.u32 %q, %i, 3;
    setp.eq.u32 %p, %q, 1; selp.b64 %g, %h, %g, %p; setp.eq.u32 %p2, %q, 2; selp.b64 %g, %k, %g, %p2;
    ld.u32 %v, [%g]; st.global.u32 [%o], %v;
  )"),
                                 ramp(32), 32);
  for (uint32_t lane = 0; lane < 32; ++lane)
    CHECK(output[lane] == (lane % 3 == 0 ? 0x01020304 + lane : lane % 3 == 1 ? lane * 3 : lane * 3 + 100));
}

TEST_CASE("shared memory of another CTA") {
  PtxRun how;
  how.grid = how.cluster = {2, 1, 1};
  auto output = runPtx<uint32_t>(kernelOf(R"(
    .shared .align 4 .b8 s[128]; .reg .b32 %i, %a, %r, %v, %w; .reg .b64 %t, %o;
    mov.u32 %i, %tid.x; mov.u32 %r, %cluster_ctarank; mov.u32 %a, s; shl.b32 %v, %i, 2; add.u32 %a, %a, %v;
    mad.lo.u32 %v, %r, 1000, %i; st.shared.u32 [%a], %v;
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    xor.b32 %w, %r, 1; mapa.shared::cluster.u32 %w, %a, %w;
    atom.shared::cluster.add.u32 %v, [%w], 5; ld.shared::cluster.u32 %w, [%w]; add.u32 %v, %v, %w;
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    mad.lo.u32 %w, %r, 32, %i; mul.wide.u32 %t, %w, 4; add.s64 %o, %out, %t; st.global.u32 [%o], %v;
  )"),
                                 ramp(1), 64, how);
  for (uint32_t i = 0; i < 64; ++i)
    CHECK(output[i] == 2 * ((i < 32 ? 1000 : 0) + i % 32) + 5);
}

TEST_CASE("vector atomics whose destinations are operands") {
  auto output = runPtx<float>(kernelOf(R"(
    .reg .f32 %a, %b; .reg .b32 %i; .reg .b64 %t, %o;
    mov.u32 %i, %tid.x; mul.wide.u32 %t, %i, 8; add.s64 %o, %out, %t;
    mov.f32 %a, 0f3f800000; mov.f32 %b, 0f40000000; st.global.v2.f32 [%o], {%a, %b};
    atom.global.add.v2.f32 {%b, %a}, [%o], {%a, %b};
    red.global.add.v2.f32 [%o], {%a, %b};
  )"),
                              ramp(1), 64);
  CHECK(output[0] == 1 + 1 + 2); // what was there came to b, a: 2, 1
  CHECK(output[1] == 2 + 2 + 1);
}

TEST_CASE("faults of memory name the lane and the allocation") {
  Fault fault = faultOf("add.s64 %rd1, %out, %rd0; st.global.u32 [%rd1+4], %r0;");
  CHECK(fault.kind == FaultKind::OutOfBounds);
  CHECK(fault.lane == 31);
  CHECK_THAT(fault.message, Catch::Matchers::Contains("out"));
  CHECK(faultOf("add.s64 %rd1, %in, %rd0; ld.global.u32 %r2, [%rd1+2];").kind == FaultKind::Misaligned);
  CHECK(faultOf("add.s64 %rd1, %in, %rd0; ld.global.v2.u32 {%r2, %r3}, [%rd1];").lane == 1);
  CHECK(faultOf("ld.global.u32 %r2, [%rd0];").kind == FaultKind::OutOfBounds);
  CHECK(faultOf("st.shared.u32 [s+1024], %r0;").kind == FaultKind::OutOfBounds);
  CHECK(faultOf("mov.u32 %r2, 1024; st.shared.u32 [%r2+-4], %r0;").kind == FaultKind::OutOfBounds);
  CHECK(faultOf("mov.u32 %r2, s; add.u32 %r2, %r2, 16777216; st.shared.u32 [%r2], %r0;").kind ==
        FaultKind::OutOfBounds);
  CHECK(faultOf("mov.u64 %rd1, p_in; cvta.param.u64 %rd1, %rd1; st.u32 [%rd1], %r0;").kind ==
        FaultKind::AddressSpace);
  CHECK(faultOf("ld.local.u32 %r2, [%rd0];").kind == FaultKind::OutOfBounds);
}

TEST_CASE("reads of what nobody wrote") {
  // Global memory as shared memory: where it matters.
  const std::string unwritten = "add.s64 %rd1, %out, %rd0; ld.global.u32 %r2, [%rd1]; ";
  CHECK(faultOf(unwritten + "st.global.u32 [%out], %r2;").kind == FaultKind::Unwritten);
  CHECK(faultOf(unwritten + "atom.global.add.u32 %r2, [%in], %r2;").kind == FaultKind::Unwritten);
  CHECK(faultOf(unwritten + "trap;").kind == FaultKind::Trap); // nobody uses it
  CHECK(faultOf(unwritten, Checks::Strict).kind == FaultKind::Unwritten);
  CHECK(faultOf("ld.shared.u32 %r2, [s]; st.global.u32 [%out], %r2;").kind == FaultKind::Unwritten);
  CHECK(faultOf("ld.shared.u32 %r2, [s]; trap;").kind == FaultKind::Trap); // nobody uses it
  CHECK(faultOf("ld.shared.u32 %r2, [s];", Checks::Strict).kind == FaultKind::Unwritten);
  CHECK(faultOf("atom.shared.add.u32 %r2, [s], 1;").kind == FaultKind::Unwritten);
  // A vector of which a part was written is used in part: only the letter of the model minds.
  const char *partly = "st.shared.u32 [s], 7; bar.warp.sync -1; ld.shared.v2.u32 {%r2, %r3}, [s]; ";
  CHECK(faultOf(partly, Checks::Strict).kind == FaultKind::Unwritten);
  CHECK(faultOf(std::string(partly) + "trap;").kind == FaultKind::Trap);
  CHECK(faultOf("ld.shared.u32 %r2, [s]; trap;", Checks::Off).kind == FaultKind::Trap);
}

TEST_CASE("traffic is counted") {
  std::vector<std::byte> input(4096, std::byte(1));
  PtxOutcome outcome = runPtxBytes(kernelOf(R"(
    .shared .align 16 .b8 s[4096]; .reg .b32 %i, %a, %v; .reg .b64 %t, %g, %o;
    mov.u32 %i, %tid.x; mul.wide.u32 %t, %i, 128; add.s64 %g, %in, %t; mul.wide.u32 %t, %i, 4; add.s64 %o, %out, %t;
    ld.global.u32 %v, [%g]; st.global.u32 [%o], %v;
    mov.u32 %a, s; mad.lo.u32 %a, %i, 128, %a; st.shared.u32 [%a], %v;
  )"),
                                   input, 128);
  REQUIRE(!outcome.fault);
  CHECK(outcome.statistics.globalLoadBytes == 128);
  CHECK(outcome.statistics.globalLoadSectors == 32);
  CHECK(outcome.statistics.globalStoreSectors == 4);
  CHECK(outcome.statistics.sharedStoreBytes == 128);
  CHECK(outcome.statistics.sharedWavefronts == 32);
  CHECK(outcome.statistics.sharedIdealWavefronts == 1);
}
