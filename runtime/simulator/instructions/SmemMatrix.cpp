#include "runtime/simulator/instructions/SmemMatrix.h"

#include "runtime/simulator/async/PendingBytes.h"
#include "runtime/simulator/memory/CopyObservation.h"
#include "runtime/simulator/memory/LaneMeetings.h"

namespace mxc::sim {

namespace {

constexpr uint32_t kChunk = 16;

[[noreturn]] void fail(uint64_t bits, const std::string &why) {
  throw FaultError(FaultKind::Illegal, "shared-memory matrix descriptor " + hexadecimal(bits) + ": " + why);
}

constexpr uint64_t mask(int first, int last) {
  return (~uint64_t(0) >> (63 - last)) & ~((uint64_t(1) << first) - 1);
}

} // namespace

uint32_t SmemMatrix::swizzled(uint32_t offset) const {
  if (isAtom32) return offset ^ (offset >> 7 & 3) << 5;
  return offset ^ (offset >> 7 & (span / kChunk - 1)) << 4;
}

uint32_t SmemMatrix::kMajor(uint32_t row, uint32_t chunk) const {
  if (isAbsolute) {
    uint32_t alongK = start % span + chunk * kChunk,
             first = alongK < span ? start - start % span : leadingBytes;
    return swizzled(first + row / 8 * strideBytes + row % 8 * span + alongK % span);
  }
  uint32_t alongK = chunk * (span == kChunk ? leadingBytes : kChunk);
  return swizzled(start + row / 8 * strideBytes + row % 8 * span + alongK);
}

uint32_t SmemMatrix::rowMajor(uint32_t chunk, uint32_t k) const {
  // Without a swizzle the two strides change their roles.
  if (span == kChunk) return start + chunk * strideBytes + k % 8 * kChunk + k / 8 * leadingBytes;
  uint32_t chunks = span / kChunk, group = isAtom32 ? 4 : 8; // k of one atom
  return swizzled(start + chunk / chunks * leadingBytes + chunk % chunks * kChunk + k % group * span +
                  k / group * strideBytes);
}

SmemMatrix decodeMatrixDescriptor(uint64_t bits) {
  if (bits & (mask(14, 15) | mask(30, 31) | mask(53, 60))) fail(bits, "reserved bits are set");
  if ((bits >> 46 & 7) != 1) fail(bits, "bits 46 to 48 must be 1");
  if (bits & mask(49, 51) && bits >> 61) // without a swizzle it says nothing
    fail(bits, "a base offset is not modelled: swizzle atoms must begin at a multiple of their size");
  SmemMatrix matrix;
  matrix.isAbsolute = bits & mask(52, 52);
  if (matrix.isAbsolute && bits >> 61 != 2)
    fail(bits, "an absolute leading-dimension address goes with the 128-byte swizzle");
  auto field = [bits](int shift) { return uint32_t(bits >> shift & 0x3FFF) << 4; };
  matrix.start = field(0), matrix.leadingBytes = field(16), matrix.strideBytes = field(32);
  switch (bits >> 61) {
  case 0:
    break;
  case 1:
    matrix.span = 128, matrix.isAtom32 = true;
    break;
  case 2:
    matrix.span = 128;
    break;
  case 4:
    matrix.span = 64;
    break;
  case 6:
    matrix.span = 32;
    break;
  default:
    fail(bits, "no swizzle has the number " + std::to_string(bits >> 61));
  }
  return matrix;
}

const uint8_t *chunkBytes(const Cta &cta, uint32_t offset) {
  return reinterpret_cast<const uint8_t *>(cta.shared.bytes.data()) + (offset - kSharedBase);
}

void requireChunk(Warp &warp, const Cta &cta, uint32_t offset, const char *operand, int lane) {
  auto text = [&](const std::string &why) {
    return std::string(operand) + " at shared " + hexadecimal(offset) + " of CTA " +
           std::to_string(cta.rank) + why;
  };
  auto found = [&](Finding finding, FaultKind kind, const char *why) {
    report(*gridOf(warp).options, finding, kind, text(why), lane);
  };
  size_t size = cta.shared.bytes.size();
  if (offset < kSharedBase || offset - kSharedBase + kChunk > size)
    throw FaultError(FaultKind::OutOfBounds,
                     text(": the CTA's shared memory is " + std::to_string(size) + " bytes at " +
                          hexadecimal(kSharedBase)),
                     lane);
  if (cta.shared.state.empty()) return;
  const uint8_t *state = &cta.shared.state[offset - kSharedBase];
  uint8_t any = 0, all = 0xFF;
  for (uint32_t i = 0; i < kChunk; ++i)
    any |= state[i], all &= state[i];
  if (any & kAsyncWrites)
    found(Finding::Unfinished, FaultKind::Unfinished, ": an asynchronous operation has yet to write it");
  if (!(any & kWritten))
    found(Finding::Unwritten, FaultKind::Unwritten, ": none of its 16 bytes were ever written");
  if (!isStrict(warp)) return;
  if (!(all & kWritten))
    found(Finding::Unwritten, FaultKind::Unwritten, ": not all of its 16 bytes were ever written");
  if (any & kGenericDirty)
    found(Finding::ProxyFence, FaultKind::ProxyOrder,
          ": written through the generic proxy without a fence.proxy.async by the writer");
  requireObserved(warp, cta, offset - kSharedBase, kChunk, lane);
  requireLanesMet(warp, cta, offset - kSharedBase, kChunk, lane);
}

void holdChunk(Cta &cta, uint32_t offset) {
  holdReads(*cta.cluster, cta.rank << kSharedRankShift | offset, kChunk);
}

void dropChunk(Cta &cta, uint32_t offset) {
  dropReads(*cta.cluster, cta.rank << kSharedRankShift | offset, kChunk);
}

} // namespace mxc::sim
