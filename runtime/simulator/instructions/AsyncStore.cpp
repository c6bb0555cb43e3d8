// st.async, red.async and st.bulk (PTX ISA 9.7.9.12, 9.7.13.7, 9.7.9.13).
#include "runtime/simulator/async/BulkOperations.h"
#include "runtime/simulator/async/FreshBarriers.h"
#include "runtime/simulator/instructions/Copies.h"

#include <cstring>

namespace mxc::sim {

namespace {

struct StoreOperands : InstructionData {
  Address to, barrier;
  std::vector<Row> values;
  BulkReduction reduction;
};

Outcome store(Warp &warp, const Instruction &i) {
  const auto &operands = static_cast<const StoreOperands &>(*i.data);
  requireExplicitCluster(warp, i);
  Cluster &cluster = clusterOf(warp);
  forEachLane(warp, [&](int lane) {
    auto operation = std::make_unique<ValueToShared>();
    operation->to = sharedAddress(addressOf(warp, operands.to, lane));
    operation->barrier = sharedAddress(addressOf(warp, operands.barrier, lane));
    operation->reduction = operands.reduction;
    for (Row row : operands.values) {
      uint64_t bits = laneBits(warp, row, lane);
      std::memcpy(operation->value + operation->bytes, &bits, row.bytes);
      operation->bytes += row.bytes;
    }
    if (operation->to % operation->bytes)
      throw FaultError(FaultKind::Misaligned, "an asynchronous store to a misaligned address", lane);
    if (rankOf(operation->to) != rankOf(operation->barrier))
      throw FaultError(FaultKind::BarrierMisuse, "the mbarrier must be in the CTA of the destination", lane);
    requirePublished(warp, operation->barrier, true, lane);
    requireAsyncDestination(warp, operation->to, operation->bytes, lane, bool(operation->reduction));
    if (isDeferred(warp)) setMarks(cluster, operation->to, operation->bytes, kAsyncWrites);
    cluster.async.issue(cluster, placed(warp, std::move(operation), i, i.source->spelling()));
  });
  return Outcome::Next;
}

/// Zeroes: the only value that the instruction takes.
Outcome fill(Warp &warp, const Instruction &i) {
  forEachLane(warp, [&](int lane) {
    uint64_t address = sharedAddress(addressOf(warp, i.address, lane)),
             bytes = lanes<uint64_t>(warp, i.rows[0])[lane];
    if (bytes % 8 || address % 8)
      throw FaultError(FaultKind::Misaligned, "st.bulk takes addresses and sizes that are multiples of 8",
                       lane);
    for (uint64_t at = 0; at < bytes; at += 8)
      std::memset(access(warp, ptx::Space::Shared, address + at, 8, AccessKind::Write, lane), 0, 8);
  });
  return Outcome::Next;
}

void takeQualifiers(Decoder &d) {
  if (!d.take("async")) d.fail("expected .async");
  if (hasModifier(d, "global")) d.fail("asynchronous stores to global memory are not simulated");
  d.ignore({"weak", "relaxed", "cluster", "shared::cluster"});
  d.ignore({"mbarrier::complete_tx::bytes"}); // the only mechanism, which st.async need not name
}

void finishStore(Decoder &d, Instruction &out, std::unique_ptr<StoreOperands> operands) {
  d.finish();
  if (d.operandCount() != 3) d.fail("expected an address, a value and an mbarrier");
  operands->to = d.address(0);
  operands->barrier = d.address(2);
  out.data = std::move(operands);
  out.handler = store;
}

} // namespace

void decodeAsyncStore(Decoder &d, Instruction &out) {
  takeQualifiers(d);
  auto operands = std::make_unique<StoreOperands>();
  std::string_view vector = d.takeOneOf({"v2", "v4"});
  ptx::Type type = d.takeType();
  size_t count = vector.empty() ? 1 : vector == "v2" ? 2 : 4;
  if ((type.bits != 32 && type.bits != 64) || count * type.bytes() > 16) d.fail("there is no such store");
  const ptx::Operand &value = d.operand(1);
  if (vector.empty()) {
    operands->values.push_back(d.read(value, type));
  } else {
    if (value.kind != ptx::Operand::Kind::Vector || value.parts.size() != count)
      d.fail("expected a vector of " + std::to_string(count) + " values");
    for (const ptx::Operand &part : value.parts)
      operands->values.push_back(d.read(part, type));
  }
  finishStore(d, out, std::move(operands));
}

void decodeAsyncReduction(Decoder &d, Instruction &out) {
  takeQualifiers(d);
  auto operands = std::make_unique<StoreOperands>();
  std::string operation(d.takeOneOf({"add", "min", "max", "inc", "dec", "and", "or", "xor"}));
  std::string name(d.takeOneOf({"u32", "s32", "u64", "b32"}));
  operands->reduction = bulkReduction(operation, name);
  if (!operands->reduction || (name == "u64" && operation != "add")) d.fail("there is no such reduction");
  operands->values.push_back(d.read(d.operand(1), *ptx::typeNamed(name)));
  finishStore(d, out, std::move(operands));
}

void decodeBulkStore(Decoder &d, Instruction &out) {
  d.ignore({"bulk", "weak", "shared::cta", "shared"});
  d.finish();
  if (d.operandCount() != 3 || d.integer(2) != 0) d.fail("expected [address], bytes, 0");
  out.address = d.address(0);
  out.rows[0] = d.read(1, kTypeB64);
  out.handler = fill;
}

} // namespace mxc::sim
