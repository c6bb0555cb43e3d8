// Bulk copies of consecutive bytes, as operations of the async proxy (PTX ISA 9.7.9.25.4).
#pragma once

#include "runtime/simulator/async/BulkReduction.h"
#include "runtime/simulator/async/PendingBytes.h"

namespace mxc::sim {

/// What completes on an mbarrier: global memory, or another place of the cluster's shared memory, to shared
/// memory.
struct BulkToShared : AsyncOperation {
  bool isFromShared = false, isHeld = false; // isHeld: the source, by holdReads
  uint64_t from = 0;
  uint32_t to = 0, bytes = 0, barrier = 0;
  BulkReduction reduction; // none: a copy
  bool signals(uint32_t at) const override { return at == barrier; }
  bool signalsCta(uint32_t rank) const override { return barrier >> kSharedRankShift == rank; }
  void perform(Cluster &cluster) override;
};

/// Shared to global memory. Its reads complete first; the writes are an operation of their own, issued then.
struct BulkToGlobal : AsyncOperation {
  uint32_t from = 0, bytes = 0;
  uint64_t to = 0;
  bool isHeld = false;
  BulkReduction reduction;
  uint32_t byteMask = 0xffff; // of every 16 bytes
  std::shared_ptr<uint32_t> pendingWrites;
  bool isOf(const uint32_t *group) const override {
    return AsyncOperation::isOf(group) || pendingWrites.get() == group;
  }
  void perform(Cluster &cluster) override;
};

/// Bytes that lie in registers, to shared memory of the cluster (st.async, red.async).
struct ValueToShared : AsyncOperation {
  std::byte value[16]{};
  uint32_t to = 0, bytes = 0, barrier = 0;
  BulkReduction reduction;
  bool signals(uint32_t at) const override { return at == barrier; }
  bool signalsCta(uint32_t rank) const override { return barrier >> kSharedRankShift == rank; }
  void perform(Cluster &cluster) override;
};

} // namespace mxc::sim
