// What the tcgen05 instructions share: CTA pairs, asynchronous operations on tensor memory, and the order
// they need.
#pragma once

#include "runtime/simulator/decode/Decoder.h"
#include "runtime/simulator/instructions/SmemMatrix.h"

namespace mxc::sim {

/// A place in tensor memory that an operation reads or writes.
struct TensorUse {
  uint32_t rank = 0; // of the CTA
  TensorRegion region;
  bool writes = false;
  const char *what = ""; // "D", "the scales of A"
};

/// mma, cp, shift, st and commit: what they touch while they are pending.
struct TensorOperation : AsyncOperation {
  std::vector<TensorUse> uses;
  std::vector<std::pair<uint32_t, uint32_t>>
      heldChunks; // rank, offset: shared memory that it has yet to read

  void perform(Cluster &cluster) final;
  virtual void compute(Cluster &cluster) = 0;
};

/// The CTAs of cta_group::1 (this one) or ::2 (the pair, the even rank first). Throws FaultError (Illegal)
/// without a peer.
struct CtaGroup {
  Cta *ctas[2] = {};
  uint32_t count = 1;
  Cta **begin() { return ctas; }
  Cta **end() { return ctas + count; }
};
CtaGroup groupOf(Warp &warp, bool isPair);
Cta &peerOf(Cta &cta); // throws likewise

/// Where instructions of a CTA (pair) are performed in the order of issue: the tensor core runs mma, cp and
/// shift in that order, which CUTLASS, DeepGEMM and Triton rely on.
uint64_t tensorChain(const Cta &leader);

/// What an operation needs of earlier ones on the same cells (PTX ISA 9.7.16.6.4; Strict).
enum class TensorOrder : uint8_t {
  Issued,     // mma, shift: in the tensor core's order
  OthersDone, // ld, st: done, if others issued them
  AllDone,    // cp: no order after an mma is promised. (CUTLASS, DeepGEMM and Triton rely on one.)
};

/// The checks of an instruction that uses tensor memory, at its issue: allocated; no pending operation of
/// another chain in conflict, no tcgen05.ld that is not waited for under a write; in Strict, an order by
/// fences after other warps' writes. Then (Strict) notes what is written. `chain`: 0 for ld.
void requireTensorUses(Warp &warp, const std::vector<TensorUse> &uses, uint64_t chain, TensorOrder order,
                       int lane);
/// For columns that a warp frees in its CTA (Strict). The instruction is synchronous: no fence stands before
/// it.
void requireTensorRelease(Warp &warp, const TensorUse &freed);

/// Checks the chunk of every CTA and holds it, where operations are deferred. `leader`: of the CTA group.
void useChunk(Warp &warp, TensorOperation &operation, const Cta &leader, Cta &cta, uint32_t offset,
              const char *operand, int lane);

/// Hands an operation over, described by its instruction.
void issueTensorOperation(Warp &warp, const Instruction &i, std::unique_ptr<TensorOperation> operation);

/// Gathers the warp for a .sync.aligned instruction. False: blocked.
bool isWholeTensorWarp(Warp &warp);

/// Checks::Strict: fence::after_thread_sync and fence::before_thread_sync of this warp.
void fenceTensorMemoryAfter(Warp &warp);
void fenceTensorMemoryBefore(Warp &warp);
void stampAllocation(Warp &warp, Cta &cta, uint32_t column, uint32_t columns);

bool takeCtaGroup(Decoder &d); // whether it is ::2
void takeSyncAligned(Decoder &d);

void decodeTcgen05Alloc(Decoder &d, Instruction &out); // alloc, dealloc, relinquish_alloc_permit
void decodeTcgen05Load(Decoder &d, Instruction &out);
void decodeTcgen05Store(Decoder &d, Instruction &out);
void decodeTcgen05Wait(Decoder &d, Instruction &out);
void decodeTcgen05Copy(Decoder &d, Instruction &out);
void decodeTcgen05Shift(Decoder &d, Instruction &out);
void decodeTcgen05Mma(Decoder &d, Instruction &out);
void decodeTcgen05Commit(Decoder &d, Instruction &out);
void decodeTcgen05Fence(Decoder &d, Instruction &out);

} // namespace mxc::sim
