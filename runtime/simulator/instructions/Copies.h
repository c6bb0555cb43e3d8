// Decode functions of asynchronous copies that share their first word with other families, and what the
// copies share.
#pragma once

#include "runtime/simulator/async/PendingBytes.h"
#include "runtime/simulator/decode/Decoder.h"
#include "runtime/simulator/machine/Lanes.h"

namespace mxc::sim {

void decodeBulkCopy(Decoder &d, Instruction &out); // cp.async.bulk*, cp.reduce.async.bulk
void decodeTensorCopy(Decoder &d,
                      Instruction &out); // cp.async.bulk.tensor, its prefetch, cp.reduce.async.bulk.tensor
void decodeBulkStore(Decoder &d, Instruction &out);      // st.bulk
void decodeAsyncStore(Decoder &d, Instruction &out);     // st.async
void decodeAsyncReduction(Decoder &d, Instruction &out); // red.async
void decodeClusterBarrier(Decoder &d, Instruction &out); // barrier.cluster

bool hasModifier(const Decoder &d, std::string_view modifier);
void takeCacheHint(
    Decoder &d, size_t &operands); // .L2::cache_hint: the last operand is a policy, which means nothing here

/// The CTA of a shared address, and the same place in another CTA.
inline uint32_t rankOf(uint32_t address) { return address >> kSharedRankShift; }
inline uint32_t inCta(uint32_t address, uint32_t rank) {
  return (address & ((1u << kSharedRankShift) - 1)) | rank << kSharedRankShift;
}

/// What dies with CUDA error 715 in a launch without cluster dimensions, as an H200 showed of st.async and of
/// bulk copies and reductions from shared to shared memory. Throws FaultError (Illegal).
void requireExplicitCluster(Warp &warp, const Instruction &i);

void countBulk(Warp &warp, uint64_t loaded, uint64_t stored); // in the statistics
/// Where an operation comes from, for reports.
std::unique_ptr<AsyncOperation> placed(const Warp &warp, std::unique_ptr<AsyncOperation> operation,
                                       const Instruction &i, std::string text);

} // namespace mxc::sim
