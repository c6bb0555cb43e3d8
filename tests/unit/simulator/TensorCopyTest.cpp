// Bulk tensor copies against a reference that goes from element to element by the words of PTX ISA 5.5.
#include "runtime/simulator/TensorMapFormat.h"
#include "runtime/simulator/async/TensorBox.h"
#include "tests/unit/simulator/RunPtx.h"

#include <catch2/catch.hpp>

#include <random>

using namespace mxc::sim;
using Bytes = std::vector<std::byte>;

namespace {

constexpr std::byte kUntouched{0xa5};
constexpr size_t kTileBytes = 16384;

/// 16-byte chunk c of 128-byte line j lies in chunk c ^ (j mod 8, 4, 2).
size_t swizzledPlace(const TensorMap &map, size_t place) {
  size_t line = place / 128, chunk = place / 16 % 8;
  size_t modulus = map.swizzle == TensorMap::Swizzle::Span128  ? 8
                   : map.swizzle == TensorMap::Swizzle::Span64 ? 4
                   : map.swizzle == TensorMap::Swizzle::Span32 ? 2
                                                               : 1;
  return line * 128 + (chunk ^ line % modulus) * 16 + place % 16;
}

struct Case {
  TensorMap map;
  std::array<int, 5> at{};
  size_t elementBytes() const { return map.elementBits() / 8; }
  size_t rowBytes() const { return map.box[0] * elementBytes(); }
  size_t pitch() const { return map.swizzleBytes() ? map.swizzleBytes() : rowBytes(); }
  size_t countAlong(unsigned d) const {
    return d ? (map.box[d] + map.elementStride[d] - 1) / map.elementStride[d] : map.box[0];
  }
  size_t elements() const {
    size_t count = 1;
    for (unsigned d = 0; d < map.rank; ++d)
      count *= countAlong(d);
    return count;
  }
  /// Stores are clipped to whole pieces of 16 bytes along dimension 0.
  size_t storedAlong(unsigned d) const {
    size_t perPiece = 16 / elementBytes();
    return d ? map.size[d] : (map.size[0] + perPiece - 1) / perPiece * perPiece;
  }
  bool overruns() const {
    return at[0] < int(map.size[0]) && at[0] + map.box[0] > int(map.size[0]) && storedAlong(0) != map.size[0];
  }
  /// f(place in shared memory, offset in the tensor, inside) for every element.
  template <class F> void forEachElement(F f, bool isStore = false) const {
    for (size_t i = 0; i < elements(); ++i) {
      size_t rest = i, row = i / countAlong(0), offset = 0;
      bool isInside = true;
      for (unsigned d = 0; d < map.rank; ++d) {
        int64_t coordinate = at[d] + int64_t(rest % countAlong(d)) * (d ? map.elementStride[d] : 1);
        rest /= countAlong(d);
        isInside &= coordinate >= 0 && coordinate < int64_t(isStore ? storedAlong(d) : map.size[d]);
        if (isInside) offset += size_t(coordinate) * (d ? map.strideBytes[d - 1] : elementBytes());
      }
      f(swizzledPlace(map, row * pitch() + i % countAlong(0) * elementBytes()), offset, isInside);
    }
  }
  std::string coordinates() const {
    std::string text = "{";
    for (unsigned d = 0; d < map.rank; ++d)
      text += (d ? ", " : "") + std::to_string(at[d]);
    return text + "}";
  }
};

Case randomCase(std::mt19937 &random, bool isStore) {
  auto upTo = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
  static constexpr TensorMapType kTypes[] = {TensorMapType::U8, TensorMapType::U16, TensorMapType::F32,
                                             TensorMapType::F64, TensorMapType::Bf16};
  for (;;) {
    Case test;
    TensorMap &map = test.map;
    map.type = kTypes[upTo(0, 4)], map.rank = uint8_t(upTo(1, 5));
    map.swizzle = TensorMap::Swizzle(upTo(0, 3));
    map.fill = map.isFloat() && upTo(0, 1) ? TensorMap::Fill::NotANumber : TensorMap::Fill::Zero;
    int perChunk = 16 / int(test.elementBytes());
    int span = map.swizzleBytes() ? int(map.swizzleBytes()) / 16 : 12;
    map.box[0] = uint16_t(perChunk * upTo(1, std::min(span, 256 / perChunk)));
    map.size[0] = uint64_t(upTo(1, 2 * map.box[0]));
    uint64_t stride = (map.size[0] * test.elementBytes() + 15) / 16 * 16 + 16u * uint64_t(upTo(0, 2));
    test.at[0] = perChunk * upTo(isStore ? 0 : -3, 4);
    for (unsigned d = 1; d < map.rank; ++d) {
      map.size[d] = uint64_t(upTo(1, 5)), map.box[d] = uint16_t(upTo(1, 5)),
      map.elementStride[d] = uint8_t(upTo(1, 3));
      test.at[d] = upTo(isStore ? 0 : -2, 3);
      map.strideBytes[d - 1] = stride;
      stride *= map.size[d];
    }
    if (test.elements() / map.box[0] * test.pitch() <= kTileBytes && stride <= 65536) return test;
  }
}

const std::string kPrologue = R"(
.reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .pred %p<8>;
.shared .align 1024 .b8 tile[16384]; .shared .align 8 .b8 bar[8];
)";

PtxRun oneThread(uint64_t seed) {
  PtxRun how;
  how.block = {1, 1, 1};
  how.schedule = seed % 3 == 0   ? Schedule{Schedule::Kind::Eager, 0}
                 : seed % 3 == 1 ? Schedule{Schedule::Kind::Lazy, 0}
                                 : Schedule{Schedule::Kind::Random, seed};
  return how;
}

/// The kernel's first input is the map, whose address it sets; the tensor follows.
std::string loadKernel(const Case &test, const std::string &mode = "tile",
                       const std::string &coordinates = "", size_t bytes = 0) {
  std::string rank = std::to_string(test.map.rank);
  if (!bytes) bytes = test.elements() * test.elementBytes();
  return kPrologue + R"(
add.u64 %rd1, %in, 128;
tensormap.replace.tile.global_address.global.b1024.b64 [%in], %rd1;
mov.u32 %r1, tile; mov.u32 %r2, 0;
poison: st.shared.v4.u32 [%r1], {-1515870811, -1515870811, -1515870811, -1515870811};
add.u32 %r1, %r1, 16; add.u32 %r2, %r2, 16; setp.lt.u32 %p1, %r2, 16384; @%p1 bra poison;
mbarrier.init.shared::cta.b64 [bar], 1;
fence.proxy.async;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], )" +
         std::to_string(bytes) + R"(;
cp.async.bulk.tensor.)" +
         rank + "d.shared::cluster.global." + mode + ".mbarrier::complete_tx::bytes [tile], [%in, " +
         (coordinates.empty() ? test.coordinates() : coordinates) + R"(], [bar];
wait: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0; @!%p1 bra wait;
mov.u32 %r1, tile; mov.u32 %r2, 0; mov.u64 %rd2, %out;
copy: ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r1]; st.global.v4.u32 [%rd2], {%r4, %r5, %r6, %r7};
add.u32 %r1, %r1, 16; add.u64 %rd2, %rd2, 16; add.u32 %r2, %r2, 16; setp.lt.u32 %p1, %r2, 16384; @%p1 bra copy;
)";
}

Bytes withMap(const TensorMap &map, const Bytes &tensor) {
  Bytes input(128 + tensor.size());
  encodeTensorMap(map, input.data());
  std::copy(tensor.begin(), tensor.end(), input.begin() + 128);
  return input;
}

Bytes randomBytes(std::mt19937 &random, size_t count) {
  Bytes bytes(count);
  for (std::byte &byte : bytes)
    byte = std::byte(random());
  return bytes;
}

std::string report(const PtxOutcome &outcome) { return outcome.fault ? outcome.fault->text() : ""; }

} // namespace

TEST_CASE("boxes of every rank, type and swizzle are loaded where they belong") {
  std::mt19937 random(1);
  for (int i = 0; i < 120; ++i) {
    Case test = randomCase(random, false);
    Bytes tensor = randomBytes(random, 65536), expected(kTileBytes, kUntouched);
    test.forEachElement([&](size_t place, size_t offset, bool isInside) {
      for (size_t b = 0; b < test.elementBytes(); ++b) {
        std::byte fill = test.map.fill == TensorMap::Fill::Zero ? std::byte{0}
                         : b % 2                                ? std::byte{0x7f}
                                                                : std::byte{0xf7};
        expected[place + b] = isInside ? tensor[offset + b] : fill;
      }
    });
    PtxOutcome outcome =
        runPtxBytes(kernelOf(loadKernel(test), "sm_90a"), withMap(test.map, tensor), kTileBytes, [&] {
          PtxRun how = oneThread(uint64_t(i));
          how.target = "sm_90a";
          return how;
        }());
    INFO("case " << i << " at " << test.coordinates() << report(outcome));
    REQUIRE_FALSE(outcome.fault);
    REQUIRE(outcome.output == expected);
    REQUIRE(outcome.statistics.bulkLoadBytes == test.elements() * test.elementBytes());
  }
}

TEST_CASE("boxes are stored into the tensor, and after its rows up to a multiple of 16 bytes") {
  std::mt19937 random(2);
  int overruns = 0;
  for (int i = 0; i < 100; ++i) {
    Case test = randomCase(random, true);
    Bytes source = randomBytes(random, kTileBytes), expected(65536, std::byte{0});
    auto note = [&](size_t place, size_t offset, bool isInside) {
      for (size_t b = 0; isInside && b < test.elementBytes(); ++b)
        expected[offset + b] = source[place + b];
    };
    test.forEachElement(note, true);
    std::string body = kPrologue + R"(
tensormap.replace.tile.global_address.global.b1024.b64 [%in], %out;
mov.u32 %r1, tile; mov.u32 %r2, 0; add.u64 %rd2, %in, 128;
fill: ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd2]; st.shared.v4.u32 [%r1], {%r4, %r5, %r6, %r7};
add.u32 %r1, %r1, 16; add.u64 %rd2, %rd2, 16; add.u32 %r2, %r2, 16; setp.lt.u32 %p1, %r2, 16384; @%p1 bra fill;
fence.proxy.async.shared::cta;
cp.async.bulk.tensor.)" +
                       std::to_string(test.map.rank) + "d.global.shared::cta.tile.bulk_group [%in, " +
                       test.coordinates() + R"(], [tile];
cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;
)";
    PtxRun how = oneThread(uint64_t(i));
    how.checks = test.overruns() ? Checks::Off : Checks::Strict;
    overruns += test.overruns();
    PtxOutcome outcome = runPtxBytes(kernelOf(body), withMap(test.map, source), 65536, how);
    INFO("case " << i << " at " << test.coordinates() << report(outcome));
    REQUIRE_FALSE(outcome.fault);
    REQUIRE(outcome.output == expected);
  }
  CHECK(overruns > 20);
}

/// Stores (or adds) 32 bytes of ones to a row of 21 bytes, or 5 words, at the output's begin; before that the
/// output's first `written` bytes are `old`.
static std::string overrunningKernel(const std::string &opcode, int written, int old) {
  return kPrologue + R"(
tensormap.replace.tile.global_address.global.b1024.b64 [%in], %out;
mov.u32 %r1, tile; mov.u32 %r2, 0;
fill: st.shared.u32 [%r1], 0x01010101; add.u32 %r1, %r1, 4; add.u32 %r2, %r2, 4; setp.lt.u32 %p1, %r2, 32; @%p1 bra fill;
mov.u32 %r2, 0; mov.u64 %rd1, %out;
own: setp.ge.u32 %p1, %r2, )" +
         std::to_string(written) + "; @%p1 bra owned; st.global.u8 [%rd1], " + std::to_string(old) + R"(;
add.u64 %rd1, %rd1, 1; add.u32 %r2, %r2, 1; bra own;
owned: fence.proxy.async;
)" + opcode +
         R"(.tile.bulk_group [%in, {0}], [tile];
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
)";
}

TEST_CASE("who owns what a tensor store changes after a row") {
  Case test;
  test.map.box[0] = 32, test.map.size[0] = 21;
  std::string store = "cp.async.bulk.tensor.1d.global.shared::cta",
              reduction = "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add";
  auto outcomeOf = [&](const std::string &body, size_t outputBytes, Checks checks) {
    PtxRun how = oneThread(0);
    how.checks = checks;
    return runPtxBytes(kernelOf(body), withMap(test.map, Bytes(64)), outputBytes, how);
  };
  auto faults = [&](const std::string &body, size_t outputBytes, Checks checks) {
    PtxOutcome outcome = outcomeOf(body, outputBytes, checks);
    INFO(report(outcome));
    if (outcome.fault) CHECK(outcome.fault->kind == FaultKind::OutOfBounds);
    return outcome.fault.has_value();
  };
  // Somebody's bytes, which change; those of nobody; those that stay as they are; those past the buffer.
  CHECK(faults(overrunningKernel(store, 32, 7), 64, Checks::Standard));
  CHECK(faults(overrunningKernel(store, 22, 7), 64, Checks::Standard));
  CHECK_FALSE(faults(overrunningKernel(store, 32, 7), 64, Checks::Off));
  CHECK_FALSE(faults(overrunningKernel(store, 21, 7), 64, Checks::Standard));
  CHECK(faults(overrunningKernel(store, 21, 7), 64, Checks::Strict));
  CHECK_FALSE(faults(overrunningKernel(store, 32, 1), 64, Checks::Strict));
  CHECK_FALSE(faults(overrunningKernel(store, 21, 7), 21, Checks::Strict));
  PtxOutcome outcome = outcomeOf(overrunningKernel(store, 21, 7), 64, Checks::Standard);
  for (size_t i = 0; i < 64; ++i)
    CHECK(outcome.output[i] == std::byte(i < 32 ? 1 : 0));
  // A reduction changes what its operand changes.
  test.map.type = TensorMapType::U32, test.map.box[0] = 8, test.map.size[0] = 5;
  CHECK(faults(overrunningKernel(reduction, 32, 7), 64, Checks::Standard));
  PtxOutcome added = outcomeOf(overrunningKernel(reduction, 64, 7), 64, Checks::Off);
  for (size_t i = 0; i < 64; ++i)
    CHECK(added.output[i] == std::byte(i < 32 ? 8 : 7));
  test.map.size[0] = 4; // whole pieces
  CHECK_FALSE(faults(overrunningKernel(reduction, 32, 7), 64, Checks::Strict));
}

TEST_CASE("four rows are gathered") {
  Case test;
  test.map.rank = 2, test.map.box = {32, 1}, test.map.size = {48, 9, 0, 0, 0}, test.map.strideBytes[0] = 64;
  std::mt19937 random(3);
  Bytes tensor = randomBytes(random, 65536);
  Bytes expected(kTileBytes, kUntouched);
  const int rows[] = {5, -1, 0, 8};
  for (int row = 0; row < 4; ++row)
    for (int i = 0; i < 32; ++i)
      expected[size_t(row * 32 + i)] =
          rows[row] < 0 || 32 + i >= 48 ? std::byte{0} : tensor[size_t(rows[row] * 64 + 32 + i)];
  std::string body = loadKernel(test, "tile::gather4", "{32, 5, -1, 0, 8}", 128);
  PtxOutcome outcome = runPtxBytes(kernelOf(body), withMap(test.map, tensor), kTileBytes, oneThread(0));
  INFO(report(outcome));
  CHECK(outcome.output == expected);
}

TEST_CASE("loads of tf32 round, as an H200 does; padded fp4 takes half of its room and counts half") {
  Case test;
  test.map.type = TensorMapType::Tf32, test.map.box[0] = 16, test.map.size[0] = 16;
  const uint32_t in[16] = {0x00000001, 0x807fffff, 0x3f800fff, 0x3f801000, 0x3f801001, 0x3f803000,
                           0xbf801fff, 0x7fc12345, 0x7f800001, 0xff800000, 0x7f7fffff, 0x00800000,
                           0x80000000, 0x00000000, 0x3f800000, 0x00400000};
  const uint32_t out[16] = {0x00000000, 0x80800000, 0x3f800000, 0x3f800000, 0x3f802000, 0x3f804000,
                            0xbf802000, 0x7fffe000, 0x7fffe000, 0xff800000, 0x7f800000, 0x00800000,
                            0x80000000, 0x00000000, 0x3f800000, 0x00400000};
  Bytes tensor(64);
  std::memcpy(tensor.data(), in, 64);
  PtxOutcome outcome =
      runPtxBytes(kernelOf(loadKernel(test)), withMap(test.map, tensor), kTileBytes, oneThread(0));
  INFO(report(outcome));
  REQUIRE_FALSE(outcome.fault);
  CHECK(std::memcmp(outcome.output.data(), out, 64) == 0);

  test.map.type = TensorMapType::B4x16Padded, test.map.box[0] = 128, test.map.size[0] = 128;
  // The tensor must lie at a multiple of 32 bytes, which 128 past the input's begin is.
  for (size_t i = 0; i < 64; ++i)
    tensor[i] = std::byte(i);
  PtxOutcome padded = runPtxBytes(kernelOf(loadKernel(test, "tile", "{0}", 64)), withMap(test.map, tensor),
                                  kTileBytes, oneThread(0));
  INFO(report(padded));
  REQUIRE_FALSE(padded.fault);
  for (size_t i = 0; i < 64; ++i)
    CHECK(padded.output[i / 8 * 16 + i % 8] == std::byte(i));
}

TEST_CASE("what an H200 refuses") {
  Case test;
  test.map.box[0] = 32, test.map.size[0] = 64;
  auto kindOf = [&](const std::string &body) {
    PtxOutcome outcome = runPtxBytes(kernelOf(body), withMap(test.map, Bytes(256)), kTileBytes, oneThread(0));
    return outcome.fault ? std::string(name(outcome.fault->kind)) : "none";
  };
  CHECK(kindOf(loadKernel(test)) == "none");
  CHECK(kindOf(loadKernel(test, "tile", "{8}")) == name(FaultKind::Illegal));
  CHECK(kindOf(loadKernel(test, "tile", "{-16}")) == "none");
  std::string misplaced = loadKernel(test);
  misplaced.replace(misplaced.find("[tile]"), 6, "[tile+64]");
  CHECK(kindOf(misplaced) == name(FaultKind::Misaligned));
  test.map.isTiled = false; // an im2col map
  CHECK(kindOf(loadKernel(test)) == name(FaultKind::Illegal));
}

TEST_CASE("a read before the wait is caught unless copies complete at once") {
  Case test;
  test.map.box[0] = 32, test.map.size[0] = 64;
  std::string body = loadKernel(test);
  size_t at = body.find("wait: mbarrier");
  body.replace(at, body.find("bra wait;") + 9 - at, "");
  PtxOutcome eager = runPtxBytes(kernelOf(body), withMap(test.map, Bytes(256)), kTileBytes, oneThread(0));
  CHECK_FALSE(eager.fault);
  PtxOutcome lazy = runPtxBytes(kernelOf(body), withMap(test.map, Bytes(256)), kTileBytes, oneThread(1));
  REQUIRE(lazy.fault);
  CHECK(lazy.fault->kind == FaultKind::Unfinished);
}

TEST_CASE("a pair of CTAs: data to both, the even CTA's mbarrier told; the map patched in shared memory and "
          "published") {
  TensorMap map;
  map.rank = 2, map.box = {32, 2}, map.size = {32, 2, 0, 0, 0}, map.strideBytes[0] = 32;
  Bytes tensor(4096);
  for (size_t i = 0; i < tensor.size(); ++i)
    tensor[i] = std::byte(i * 7);
  const std::string body = kPrologue + R"(
.shared .align 128 .b8 patched[128]; .reg .b16 %h1;
mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p2, %r1, 0; mov.u32 %r2, bar; and.b32 %r3, %r2, -16777217; mov.u32 %r8, 0;
@!%p2 bra ready;
mov.u64 %rd3, %in; mov.u32 %r9, patched;
read: ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd3]; st.shared.v4.u32 [%r9], {%r4, %r5, %r6, %r7};
add.u64 %rd3, %rd3, 16; add.u32 %r9, %r9, 16; add.u32 %r8, %r8, 16; setp.lt.u32 %p1, %r8, 128; @%p1 bra read;
add.u64 %rd1, %in, 128;
tensormap.replace.tile.global_address.shared::cta.b1024.b64 [patched], %rd1;
tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [patched], 1, 1;
tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [patched], 0;
add.u64 %rd4, %in, 3840;
tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd4], [patched], 128;
fence.proxy.tensormap::generic.acquire.gpu [%rd4], 128;
mbarrier.init.shared::cta.b64 [bar], 1;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;
ready: fence.mbarrier_init.release.cluster; barrier.cluster.arrive.release; barrier.cluster.wait.acquire;
mov.b16 %h1, 3;
@%p2 cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd4, {0, 0}];
@%p2 cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [%rd4, {0, 0}], [%r3], %h1;
@!%p2 bra meet;
wait: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0; @!%p1 bra wait;
meet: barrier.cluster.arrive.release; barrier.cluster.wait.acquire;
mul.wide.u32 %rd1, %r1, 64; add.u64 %rd2, %out, %rd1; mov.u32 %r2, tile; mov.u32 %r8, 0;
copy: ld.shared.u32 %r4, [%r2]; st.global.u32 [%rd2], %r4;
add.u32 %r2, %r2, 4; add.u64 %rd2, %rd2, 4; add.u32 %r8, %r8, 4; setp.lt.u32 %p1, %r8, 64; @%p1 bra copy;
)";
  for (uint64_t seed = 0; seed < 6; ++seed) {
    PtxRun how = oneThread(seed);
    how.grid = how.cluster = {2, 1, 1};
    PtxOutcome outcome = runPtxBytes(kernelOf(body), withMap(map, tensor), 128, how);
    INFO(report(outcome));
    REQUIRE_FALSE(outcome.fault);
    for (size_t i = 0; i < 128; ++i)
      REQUIRE(outcome.output[i] == (i % 64 < 32 ? tensor[i % 64] : std::byte{0}));
  }
}

TEST_CASE("a box is added to the tensor") {
  Case test;
  test.map.type = TensorMapType::U32, test.map.box[0] = 32, test.map.size[0] = 24;
  const std::string body = kPrologue + R"(
tensormap.replace.tile.global_address.global.b1024.b64 [%in], %out;
mov.u32 %r1, tile; mov.u32 %r2, 0;
fill: st.shared.u32 [%r1], %r2; st.global.u32 [%out], 0; add.u64 %out, %out, 4;
add.u32 %r1, %r1, 4; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 32; @%p1 bra fill;
fence.proxy.async;
cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%in, {0}], [tile];
cp.reduce.async.bulk.tensor.1d.global.shared::cta.max.tile.bulk_group [%in, {4}], [tile];
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
)";
  PtxOutcome outcome = runPtxBytes(kernelOf(body), withMap(test.map, Bytes(64)), 128, oneThread(0));
  INFO(report(outcome));
  REQUIRE_FALSE(outcome.fault);
  for (uint32_t i = 0; i < 32; ++i) {
    uint32_t value;
    std::memcpy(&value, &outcome.output[i * 4], 4);
    CHECK(value == (i < 24 ? i : 0));
  }
}
