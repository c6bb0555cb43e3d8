#include "runtime/measure/TensorKernel.h"

#include "dialect/formats/TensorDescriptors.h"
#include "runtime/measure/PtxImage.h"

#include <map>

namespace mxc::measure {

namespace {

// Four stages of operands, so that an instruction does not read what the last one read. Rows of 128 bytes lie
// swizzled in atoms of eight (PTX ISA 9.7.15.5.1): random bytes are random wherever they lie.
constexpr int kThreads = 256, kStages = 4, kSteps = 4; // steps along the 128 bytes of a row
constexpr int kStepUnits = 2;                          // from a step to the next, in a descriptor's 16 bytes

std::string text(int64_t value) { return std::to_string(value); }

/// Returns `ptx` with its $NAMES replaced.
std::string filled(std::string ptx, const std::map<std::string, std::string> &values) {
  for (const auto &[name, value] : values)
    for (size_t at = 0; (at = ptx.find("$" + name, at)) != ptx.npos; at += value.size())
      ptx.replace(at, name.size() + 1, value);
  return ptx;
}

KernelAbi abiOf(int sharedBytes) {
  KernelAbi kernel;
  kernel.name = kernel.operation.name = "multiply";
  kernel.dimensions = {"C"};
  AbiArgument out{"out", "f32", true};
  out.shape = {"C", ShapeExpression(text(kThreads))};
  out.alignment = 4;
  kernel.arguments = {out};
  kernel.work.bytesWritten = ShapeExpression("C * " + text(kThreads) + " * 4");
  AbiVariant variant;
  variant.entry = "multiply";
  variant.grid[0] = "C";
  variant.block[0] = kThreads;
  variant.sharedBytes = static_cast<uint32_t>(sharedBytes);
  variant.parameters = {{AbiParameter::Kind::Pointer, "out"}};
  kernel.variants = {variant};
  return kernel;
}

/// Fills shared memory with words of hashed indices, made codes by $ENCODE.
const char *const kHead = R"(
.extern .shared .align 1024 .b8 operands[];

.visible .entry multiply(.param .u64 out)
.reqntid $THREADS, 1, 1
{
  .reg .pred %p, %accumulates;
  .reg .b32 %round, %index, %word, %t, %thread, %warp, %shared;
  .reg .b64 %a, %b, %x, %y, %out;
  mov.u32 %shared, operands;
  mov.u32 %thread, %tid.x;
  shr.u32 %warp, %thread, 5;
  mov.u32 %index, %thread;
FILL:
  mad.lo.u32 %word, %index, 0x9E3779B1, 0x7F4A7C15;
  shr.u32 %t, %word, 15;
  xor.b32 %word, %word, %t;
  mul.lo.u32 %word, %word, 0x85EBCA77;
  shr.u32 %t, %word, 13;
  xor.b32 %word, %word, %t;
  mul.lo.u32 %word, %word, 0xC2B2AE3D;
  shr.u32 %t, %word, 16;
  xor.b32 %word, %word, %t;
  $ENCODE
  mad.lo.u32 %t, %index, 4, %shared;
  st.shared.b32 [%t], %word;
  add.u32 %index, %index, $THREADS;
  setp.lt.u32 %p, %index, $WORDS;
  @%p bra FILL;
  fence.proxy.async.shared::cta;
)";

/// Stores %word to the thread's place.
const char *const kStore = R"(
  ld.param.u64 %out, [out];
  mov.u32 %t, %ctaid.x;
  mad.lo.u32 %t, %t, $THREADS, %thread;
  mul.wide.u32 %x, %t, 4;
  add.u64 %out, %out, %x;
  st.global.b32 [%out], %word;
)";

/// One instruction for each step and stage, with %x and %y as operands.
std::string multiplications(int stage, int stageBytes, const std::string &instruction) {
  std::string code;
  for (int step = 0; step < kSteps; ++step)
    code += filled("  add.u64 %x, %a, $UNITS;\n  add.u64 %y, %b, $UNITS;\n",
                   {{"UNITS", text(stage * stageBytes / 16 + step * kStepUnits)}}) +
            instruction;
  return code;
}

/// Both halves have a sign, four bits of exponent and three of mantissa, and each 32 elements, which are 16
/// words wherever the swizzle puts them, a scale of 2^-16 to 2^7: what a product makes of fillInput's
/// values.
const char *const kScaledCodes = R"(and.b32 %word, %word, 0x87F087F0;
  shr.u32 %t, %index, 4;
  mad.lo.u32 %t, %t, 0x9E3779B1, 0x85EBCA6B;
  shr.u32 %round, %t, 15;
  xor.b32 %t, %t, %round;
  mul.lo.u32 %t, %t, 0x2C1B3C6D;
  mul.hi.u32 %t, %t, 24;
  mad.lo.u32 %word, %t, 0x00800080, %word;
  add.u32 %word, %word, 0x34003400;)";

/// Two warpgroups, each with sums of 64 x 256, multiply the bf16 that Hopper's products make of e4m3 codes.
TensorKernel hopper(int rounds) {
  constexpr int kBytesOfA = 64 * 128, kBytesOfB = 256 * 128, kStageBytes = 2 * kBytesOfA + kBytesOfB;
  constexpr int kSums = 128; // of a thread
  std::string sums, clear, add, stages;
  for (int i = 0; i < kSums; ++i) {
    sums += (i ? ", %sum" : "%sum") + text(i);
    clear += "  mov.f32 %sum" + text(i) + ", 0f00000000;\n";
    if (i) add += "  add.f32 %sum0, %sum0, %sum" + text(i) + ";\n";
  }
  for (int stage = 0; stage < kStages; ++stage)
    stages += "  wgmma.fence.sync.aligned;\n" +
              multiplications(stage, kStageBytes,
                              "  wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" + sums +
                                  "}, %x, %y, 1, 1, 1, 0, 0;\n") +
              "  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 1;\n";
  const std::string code = std::string(kHead) + R"(
  .reg .f32 %sum<$SUMS>;
  bar.sync 0;
  shr.u32 %t, %thread, 7;
  mad.lo.u32 %t, %t, $BYTES_OF_A, %shared;
  shr.u32 %t, %t, 4;
  mov.b64 %a, {%t, $UPPER};
  add.u32 %t, %shared, $BEHIND_A;
  shr.u32 %t, %t, 4;
  mov.b64 %b, {%t, $UPPER};
$CLEAR  mov.u32 %round, $ROUNDS;
ROUND:
$STAGES  sub.u32 %round, %round, 1;
  setp.ne.u32 %p, %round, 0;
  @%p bra ROUND;
  wgmma.wait_group.sync.aligned 0;
$ADD  mov.b32 %word, %sum0;
)" + kStore + "  ret;\n}\n";
  return {ptxImage("8.0", "sm_90a", abiOf(kStages * kStageBytes),
                   filled(code, {{"THREADS", text(kThreads)},
                                 {"WORDS", text(kStages * kStageBytes / 4)},
                                 {"ENCODE", kScaledCodes},
                                 {"BYTES_OF_A", text(kBytesOfA)},
                                 {"BEHIND_A", text(2 * kBytesOfA)},
                                 {"UPPER", text(kWarpgroupRows.bits() >> 32)},
                                 {"SUMS", text(kSums)},
                                 {"CLEAR", clear},
                                 {"ROUNDS", text(rounds)},
                                 {"STAGES", stages},
                                 {"ADD", add}})),
          "wgmma m64n256k16 bf16", 2.0 * 2 * 64 * 256 * 16 * kSteps * kStages * rounds};
}

/// One tile of 128 x 256 in tensor memory, from e4m3 codes with a scale of 1 for each 32 of them.
TensorKernel blackwell(const std::string &target, const std::string &version, int rounds) {
  constexpr int kBytesOfA = 128 * 128, kBytesOfB = 256 * 128, kStageBytes = kBytesOfA + kBytesOfB;
  constexpr int kBarrier = kStages * kStageBytes, kPlace = kBarrier + 8;
  constexpr BlockMmaInstruction kInstruction = {
      .m = 128,
      .n = 256,
      .elementA = BlockMmaInstruction::elementCode(ElementFormat::E4M3),
      .elementB = BlockMmaInstruction::elementCode(ElementFormat::E4M3),
      .isPowerOfTwo = true};
  std::string ones = "%word", stages;
  for (int i = 1; i < 32; ++i)
    ones += ", %word";
  for (int stage = 0; stage < kStages; ++stage)
    stages +=
        multiplications(stage, kStageBytes,
                        "  tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X [%tensor], %x, "
                        "%y, %instruction, [%scales], [%scales], %accumulates;\n"
                        "  setp.eq.u32 %accumulates, %thread, 0;\n"); // the first one clears the sums
  const std::string code = std::string(kHead) + R"(
  .reg .b32 %tensor, %scales, %lanes, %barrier, %instruction;
  mov.u32 %instruction, $INSTRUCTION;
  add.u32 %barrier, %shared, $BARRIER;
  setp.ne.u32 %p, %warp, 0;
  @%p bra READY;
  add.u32 %t, %shared, $PLACE;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%t], 512;
  tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
  setp.eq.u32 %p, %thread, 0;
  @%p mbarrier.init.shared.b64 [%barrier], 1;
  fence.mbarrier_init.release.cluster;
  tcgen05.fence::before_thread_sync;
READY:
  bar.sync 0;
  tcgen05.fence::after_thread_sync;
  ld.shared.b32 %tensor, [%shared + $PLACE];
  add.u32 %scales, %tensor, 256;
  shl.b32 %lanes, %warp, 21;
  setp.gt.u32 %p, %warp, 3;
  @%p bra SCALED;
  add.u32 %t, %lanes, %scales;
  mov.u32 %word, 0x7F7F7F7F;
  tcgen05.st.sync.aligned.32x32b.x32.b32 [%t], {$ONES};
  tcgen05.wait::st.sync.aligned;
  tcgen05.fence::before_thread_sync;
SCALED:
  bar.sync 0;
  tcgen05.fence::after_thread_sync;
  shr.u32 %t, %shared, 4;
  mov.b64 %a, {%t, $UPPER};
  add.u32 %t, %shared, $BYTES_OF_A;
  shr.u32 %t, %t, 4;
  mov.b64 %b, {%t, $UPPER};
  setp.ne.u32 %p, %thread, 0;
  @%p bra WAIT;
  setp.ne.u32 %accumulates, %thread, 0;
  mov.u32 %round, $ROUNDS;
ROUND:
$STAGES  sub.u32 %round, %round, 1;
  setp.ne.u32 %p, %round, 0;
  @%p bra ROUND;
  tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%barrier];
WAIT:
  mbarrier.try_wait.parity.shared.b64 %p, [%barrier], 0;
  @!%p bra WAIT;
  tcgen05.fence::after_thread_sync;
  mov.u32 %word, 0;
  setp.gt.u32 %p, %warp, 3;
  @%p bra STORE;
  add.u32 %t, %lanes, %tensor;
  tcgen05.ld.sync.aligned.32x32b.x1.b32 {%word}, [%t];
  tcgen05.wait::ld.sync.aligned;
  tcgen05.fence::before_thread_sync;
STORE:
)" + kStore + R"(
  bar.sync 0;
  setp.ne.u32 %p, %warp, 0;
  @%p bra END;
  tcgen05.fence::after_thread_sync;
  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %tensor, 512;
END:
  ret;
}
)";
  return {ptxImage(version, target, abiOf(kPlace + 8),
                   filled(filled(code, {{"STAGES", stages}}),
                          {{"THREADS", text(kThreads)},
                           {"WORDS", text(kStages * kStageBytes / 4)},
                           {"ENCODE",
                            "and.b32 %word, %word, 0xFEFEFEFE;"}, // without its lowest bit no code is a NaN
                           {"BARRIER", text(kBarrier)},
                           {"PLACE", text(kPlace)},
                           {"INSTRUCTION", text(kInstruction.bits())},
                           {"ONES", ones},
                           {"BYTES_OF_A", text(kBytesOfA)},
                           {"UPPER", text(kTensorRows.bits() >> 32)},
                           {"ROUNDS", text(rounds)}})),
          "tcgen05.mma m128n256k32 mxf8f6f4", 2.0 * 128 * 256 * 32 * kSteps * kStages * rounds};
}

} // namespace

std::optional<TensorKernel> TensorKernel::of(ComputeCapability capability, int rounds) {
  if (capability == ComputeCapability{9, 0}) return hopper(rounds);
  if (capability == ComputeCapability{10, 0}) return blackwell("sm_100a", "8.6", rounds);
  if (capability == ComputeCapability{10, 3}) return blackwell("sm_103a", "8.8", rounds);
  return std::nullopt;
}

} // namespace mxc::measure
