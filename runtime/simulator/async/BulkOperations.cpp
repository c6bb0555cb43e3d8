#include "runtime/simulator/async/BulkOperations.h"

#include "runtime/simulator/async/MbarrierObject.h"
#include "runtime/simulator/memory/CopyObservation.h"

#include <cstring>

namespace mxc::sim {

static void write(std::byte *to, const std::byte *from, uint32_t bytes, BulkReduction reduction) {
  if (reduction)
    reduction(to, from, bytes);
  else
    std::memmove(to, from, bytes);
}

void BulkToShared::perform(Cluster &cluster) {
  const std::byte *source;
  if (isFromShared) {
    source = sharedBytes(cluster, uint32_t(from), bytes, true);
    if (isHeld) dropReads(cluster, uint32_t(from), bytes);
  } else {
    source = globalBytes(cluster, from, bytes, true);
  }
  write(sharedBytes(cluster, to, bytes, false), source, bytes, reduction);
  settleAsyncWrite(cluster, to, bytes);
  noteCopied(cluster, to, bytes, barrier);
  completeTransactions(cluster, barrier, bytes, "bytes of bulk copies");
}

namespace {

struct GlobalWrite : AsyncOperation {
  std::vector<std::byte> data;
  uint64_t to = 0;
  BulkReduction reduction;
  uint32_t byteMask = 0xffff;
  void perform(Cluster &cluster) override {
    std::byte *target = globalBytes(cluster, to, uint32_t(data.size()), false);
    if (byteMask == 0xffff) return write(target, data.data(), uint32_t(data.size()), reduction);
    for (size_t i = 0; i < data.size(); ++i)
      if (byteMask >> (i % 16) & 1) target[i] = data[i];
  }
};

} // namespace

void BulkToGlobal::perform(Cluster &cluster) {
  auto second = std::make_unique<GlobalWrite>();
  const std::byte *source = sharedBytes(cluster, from, bytes, true);
  if (isHeld) dropReads(cluster, from, bytes);
  second->data.assign(source, source + bytes);
  second->to = to, second->reduction = reduction, second->byteMask = byteMask;
  second->pendingOfGroup = std::move(pendingWrites);
  second->line = line, second->issuer = issuer, second->description = description + ", its writes";
  cluster.async.issue(cluster, std::move(second));
}

void ValueToShared::perform(Cluster &cluster) {
  write(sharedBytes(cluster, to, bytes, false), value, bytes, reduction);
  settleAsyncWrite(cluster, to, bytes);
  noteCopied(cluster, to, bytes, barrier);
  completeTransactions(cluster, barrier, bytes, "bytes of st.async");
}

} // namespace mxc::sim
