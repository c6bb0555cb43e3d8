// wgmma: matrix multiply-accumulate of a warpgroup, asynchronous (PTX ISA 9.7.15). sm_90a alone has it.
//
// Each of the four warps computes its 16 rows, in an operation of its own: accumulators and A's registers are
// read and written when that is performed. wait_group waits for all four.
#include "runtime/simulator/async/PendingBytes.h"
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/instructions/MatrixFragments.h"
#include "runtime/simulator/instructions/ModelInUse.h"
#include "runtime/simulator/instructions/TensorFeatures.h"
#include "runtime/simulator/instructions/WgmmaMatrix.h"
#include "runtime/simulator/instructions/WholeWarp.h"
#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/machine/WgmmaRegisters.h"
#include "runtime/simulator/memory/ReadObservation.h"
#include "runtime/simulator/memory/UnwrittenValues.h"

#include <algorithm>

namespace mxc::sim {

namespace {

constexpr int kRowsOfWarp = 16, kMaximumColumns = 256;

struct WgmmaType { // PTX ISA 9.7.15.2: what A and B may be, and what D
  Element element;
  int k;
  bool mixes; // A and B may differ within the class
  std::initializer_list<Accumulator> accumulators;
};
const WgmmaType kTypes[] = {
    {Element::F16, 16, false, {Accumulator::F16, Accumulator::F32}},
    {Element::BF16, 16, false, {Accumulator::F32}},
    {Element::TF32, 8, false, {Accumulator::F32}},
    {Element::E4M3, 32, true, {Accumulator::F16, Accumulator::F32}},
    {Element::E5M2, 32, true, {Accumulator::F16, Accumulator::F32}},
    {Element::S8, 32, true, {Accumulator::S32}},
    {Element::U8, 32, true, {Accumulator::S32}},
    {Element::B1, 256, false, {Accumulator::S32}},
};

struct Wgmma : InstructionData {
  Element a = Element::F16, b = Element::F16;
  DotModel model;
  int n = 0, k = 0;
  std::vector<uint32_t> accumulator, aRegisters; // rows; A's are empty if it lies in shared memory
  uint32_t aDescriptor = 0, bDescriptor = 0, scaleD = 0;
  bool isScaleDNegated = false, isANegated = false, isBNegated = false, isATransposed = false,
       isBTransposed = false;
};

struct Operation : AsyncOperation {
  std::vector<uint32_t> heldChunks; // offsets in shared memory that it has yet to read
  Cta *cta;
  uint32_t warp;
  const Wgmma *wgmma;
  SmemMatrix a, b;
  bool readsD;

  void perform(Cluster &cluster) override {
    thread_local DotOperand left, right;
    thread_local std::vector<uint32_t> tile(size_t(kRowsOfWarp) * kMaximumColumns);
    Warp &self = cta->warps[warp];
    left.reset(wgmma->model, wgmma->a, kRowsOfWarp, wgmma->k);
    right.reset(wgmma->model, wgmma->b, wgmma->n, wgmma->k);
    if (wgmma->aRegisters.empty())
      loadMatrix(cluster, cta->rank, a, wgmma->isATransposed, int(warp % 4) * kRowsOfWarp, wgmma->a, left);
    else
      loadFragment(self, wgmma->aRegisters, wgmma->a, Packing::Dense, left);
    loadMatrix(cluster, cta->rank, b, wgmma->isBTransposed, 0, wgmma->b, right);
    if (wgmma->isANegated) left.negate();
    if (wgmma->isBNegated) right.negate();
    bool isHalf = wgmma->model.accumulator == Accumulator::F16;
    if (readsD) loadAccumulator(self, wgmma->accumulator, kRowsOfWarp, wgmma->n, isHalf, tile.data());
    accumulate(modelInUse(self, wgmma->model), left, right, tile.data(), size_t(wgmma->n), readsD);
    storeAccumulator(self, wgmma->accumulator, kRowsOfWarp, wgmma->n, isHalf, tile.data());
    for (uint32_t offset : heldChunks)
      dropChunk(*cta, offset);
  }
};

/// Its registers are those of an operation: WgmmaRegisters looks after them, in place of Instruction::reads
/// and writes.
void useRegisters(Warp &warp, const Wgmma &wgmma, bool readsD, uint32_t line) {
  for (uint32_t row : wgmma.aRegisters)
    requireNone(warp, row, unwrittenLanes(warp, row), "an operand of wgmma");
  if (!isStrict(warp)) return;
  auto requireWritten = [&](const std::vector<uint32_t> &rows) {
    for (uint32_t row : rows)
      if (uint32_t missing = ~warp.written[row / 64])
        report(*gridOf(warp).options, Finding::Unwritten, FaultKind::Unwritten,
               "a register that nobody wrote", __builtin_ctz(missing));
  };
  requireWritten(wgmma.aRegisters);
  if (readsD) requireWritten(wgmma.accumulator);
  uint32_t shape = uint32_t(wgmma.n) << 8 | uint32_t(wgmma.model.accumulator);
  WgmmaRegisters::of(warp).issue({wgmma.accumulator, wgmma.aRegisters, line, shape});
  for (uint32_t row : wgmma.accumulator)
    warp.written[row / 64] = ~0u;
}

/// The chunks of shared memory that a warp's operation reads: there, finished, and held until it has.
void useChunks(Warp &warp, const Wgmma &wgmma, Operation &operation) {
  if (!isChecked(warp)) return;
  std::vector<uint32_t> chunks; // from kSharedBase on
  auto useMatrix = [&](const SmemMatrix &matrix, bool isTransposed, uint32_t first, uint32_t rows,
                       Element element, const char *operand) {
    uint32_t perChunk = uint32_t(128 / bitsOf(element));
    matrix.forChunks(isTransposed, first, rows, uint32_t(wgmma.k), perChunk, [&](uint32_t offset) {
      requireChunk(warp, *warp.cta, offset, operand, -1);
      chunks.push_back(offset - kSharedBase);
      if (!isDeferred(warp)) return;
      holdChunk(*warp.cta, offset);
      operation.heldChunks.push_back(offset);
    });
  };
  if (wgmma.aRegisters.empty())
    useMatrix(operation.a, wgmma.isATransposed, warp.index % 4 * kRowsOfWarp, kRowsOfWarp, wgmma.a,
              "A of wgmma");
  useMatrix(operation.b, wgmma.isBTransposed, 0, uint32_t(wgmma.n), wgmma.b, "B of wgmma");
  noteProductReads(warp, chunks);
}

uint64_t uniform(Warp &warp, uint32_t row, const char *what) {
  const uint64_t *values = lanes<uint64_t>(warp, row);
  if (isChecked(warp) &&
      std::any_of(values, values + kLanes, [&](uint64_t value) { return value != values[0]; }))
    throw FaultError(FaultKind::Illegal, std::string(what) + " of wgmma differs between the lanes of a warp");
  return values[0];
}

Outcome mmaHandler(Warp &warp, const Instruction &i) {
  if (!gatherWholeWarp(warp, "wgmma")) return Outcome::Blocked;
  const auto &wgmma = static_cast<const Wgmma &>(*i.data);
  Cluster &cluster = clusterOf(warp);
  uint32_t group = warp.index / 4;
  if (isChecked(warp) && (group + 1) * 4 > warp.cta->warps.size())
    throw FaultError(FaultKind::Illegal, "wgmma needs a whole warpgroup: the CTA has " +
                                             std::to_string(warp.cta->warps.size()) + " warps");
  uint32_t scaleD = predicate(warp, wgmma.scaleD);
  if (isChecked(warp) && scaleD && ~scaleD)
    throw FaultError(FaultKind::Illegal, "scale-d of wgmma differs between the lanes of a warp");
  auto operation = std::make_unique<Operation>();
  operation->cta = warp.cta;
  operation->warp = warp.index;
  operation->wgmma = &wgmma;
  operation->readsD = (scaleD & 1) != uint32_t(wgmma.isScaleDNegated);
  if (wgmma.aRegisters.empty())
    operation->a = decodeWgmmaDescriptor(uniform(warp, wgmma.aDescriptor, "the descriptor of A"));
  operation->b = decodeWgmmaDescriptor(uniform(warp, wgmma.bDescriptor, "the descriptor of B"));
  if (wgmma.aRegisters.empty()) noteWgmmaMatrix(warp, "a", operation->a, wgmma.isATransposed);
  noteWgmmaMatrix(warp, "b", operation->b, wgmma.isBTransposed);
  constexpr uint64_t kChains = uint64_t(0x77676D6D) << 32; // apart from those of other families
  operation->chain = kChains | warp.cta->rank << 16 | (group + 1);
  operation->line = i.source->place.line;
  operation->issuer = &warp;
  operation->description = i.source->spelling();
  useRegisters(warp, wgmma, operation->readsD, operation->line);
  useChunks(warp, wgmma, *operation);
  operation->pendingOfGroup = joinGroup(warp.asyncGroups.wgmma, 0);
  if (warp.statistics)
    warp.statistics->tensorOperations += uint64_t(kRowsOfWarp) * uint64_t(wgmma.n) * uint64_t(wgmma.k);
  cluster.async.issue(cluster, std::move(operation));
  return Outcome::Next;
}

Outcome fenceHandler(Warp &warp, const Instruction &) {
  if (!gatherWholeWarp(warp, "wgmma")) return Outcome::Blocked;
  if (isStrict(warp)) WgmmaRegisters::of(warp).fence();
  return Outcome::Next;
}

Outcome commitHandler(Warp &warp, const Instruction &) {
  if (!gatherWholeWarp(warp, "wgmma")) return Outcome::Blocked;
  commitGroup(clusterOf(warp), warp.asyncGroups.wgmma, 0);
  if (isStrict(warp)) WgmmaRegisters::of(warp).commit();
  return Outcome::Next;
}

/// A wgmma is the warpgroup's: it is done for none of the four warps before it is for all, and until then
/// reads shared memory. CUTLASS lets one thread release a stage for its warpgroup.
bool isDoneByWarpgroup(Warp &warp, uint64_t groups) {
  size_t first = warp.index / 4 * 4, end = std::min(first + 4, warp.cta->warps.size());
  for (size_t index = first; index < end; ++index) {
    Warp &other = warp.cta->warps[index];
    if (other.liveLanes() && groupsCompleted(other.asyncGroups.wgmma, 0) < groups) return false;
  }
  return true;
}

Outcome waitHandler(Warp &warp, const Instruction &i) {
  if (!gatherWholeWarp(warp, "wgmma")) return Outcome::Blocked;
  uint64_t committed = groupsCommitted(warp.asyncGroups.wgmma, 0), pending = uint64_t(i.immediate);
  if (committed <= pending || isDoneByWarpgroup(warp, committed - pending)) {
    if (isStrict(warp)) WgmmaRegisters::of(warp).wait(pending);
    if (isStrict(warp) && committed > pending) observeProducts(warp, committed - pending);
    return Outcome::Next;
  }
  warp.wait = {Wait::Kind::Groups, "wgmma groups", 0, pending, &warp.asyncGroups.wgmma};
  return Outcome::Blocked;
}

const WgmmaType &typeOf(Element element) {
  return *std::ranges::find(kTypes, element, [](const WgmmaType &type) { return type.element; });
}

/// .dtype.atype.btype, in that order.
void takeTypes(Decoder &d, Wgmma &wgmma) {
  std::string_view result = d.takeOneOf({"f32", "f16", "s32"});
  auto take = [&] {
    return elementNamed(d.takeOneOf({"f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8", "b1"}));
  };
  std::optional<Element> a = take(), b = take();
  if (result.empty() || !a || !b) d.fail("expected the types of D, A and B");
  wgmma.a = *a, wgmma.b = *b;
  const WgmmaType &type = typeOf(*a);
  Accumulator accumulator = result == "f32"   ? Accumulator::F32
                            : result == "f16" ? Accumulator::F16
                                              : Accumulator::S32;
  bool fits = *a == *b || (type.mixes && typeOf(*b).mixes && isInteger(*a) == isInteger(*b));
  if (!fits || !std::ranges::count(type.accumulators, accumulator)) d.fail("these types do not go together");
  wgmma.k = type.k;
  wgmma.model = dotModelOf(d.chip(), TensorUnit::Wgmma, *a, *b, accumulator);
  if (isInteger(*a) && *a != Element::B1) wgmma.model.saturates = d.take("satfinite");
  if (*a == Element::B1 && !(d.take("and") && d.take("popc"))) d.fail("expected .and.popc");
}

void takeShape(Decoder &d, Wgmma &wgmma) {
  std::string shape, suffix = "k" + std::to_string(wgmma.k);
  if (!d.takePrefix("m64n", shape)) d.fail("expected a shape m64nNk..");
  for (int n = 8; n <= kMaximumColumns; n += 8) {
    if (isInteger(wgmma.a) && n > 32 && n % 16) continue;
    if (shape == "m64n" + std::to_string(n) + suffix) wgmma.n = n;
  }
  if (!wgmma.n) d.fail("'" + shape + "' is no shape of these types");
}

bool isNegative(Decoder &d, size_t index) {
  int64_t scale = d.integer(index);
  if (scale != 1 && scale != -1) d.fail("imm-scale must be 1 or -1");
  return scale == -1;
}

void decodeMma(Decoder &d, Instruction &out) {
  auto wgmma = std::make_unique<Wgmma>();
  if (d.take("sp")) d.fail("sparse wgmma is not modelled");
  takeTypes(d, *wgmma);
  takeShape(d, *wgmma);
  d.finish();
  bool isHalf = wgmma->model.accumulator == Accumulator::F16;
  const ptx::Operand &destination = d.operand(0);
  size_t registers = size_t(wgmma->n) / (isHalf ? 4 : 2);
  if (destination.kind != ptx::Operand::Kind::Vector || destination.parts.size() != registers)
    d.fail("expected " + std::to_string(registers) + " registers of D");
  for (const ptx::Operand &part : destination.parts)
    wgmma->accumulator.push_back(d.write(part, kTypeB32).offset);
  if (const ptx::Operand &a = d.operand(1); a.kind == ptx::Operand::Kind::Vector) {
    if (a.parts.size() != 4) d.fail("expected 4 registers of A");
    for (const ptx::Operand &part : a.parts)
      wgmma->aRegisters.push_back(d.read(part, kTypeB32).offset);
  } else {
    wgmma->aDescriptor = d.read(1, kTypeB64);
  }
  wgmma->bDescriptor = d.read(2, kTypeB64);
  wgmma->scaleD = d.readPredicate(3, wgmma->isScaleDNegated);
  size_t next = 4;
  if (!isInteger(wgmma->a)) {
    wgmma->isANegated = isNegative(d, next++);
    wgmma->isBNegated = isNegative(d, next++);
  }
  if (bitsOf(wgmma->a) == 16) { // the only ones that may be transposed
    if (wgmma->aRegisters.empty()) wgmma->isATransposed = d.integer(next++) != 0;
    wgmma->isBTransposed = d.integer(next++) != 0;
  }
  if (d.operandCount() != next) d.fail("expected " + std::to_string(next) + " operands");
  auto isOwn = [&](Row row) {
    return std::ranges::count(wgmma->accumulator, row.offset) ||
           std::ranges::count(wgmma->aRegisters, row.offset);
  };
  std::erase_if(out.reads, isOwn), std::erase_if(out.writes, isOwn);
  out.data = std::move(wgmma);
  out.handler = mmaHandler;
}

void decodeWgmma(Decoder &d, Instruction &out) {
  if (!d.take("sync") || !d.take("aligned")) d.fail("expected .sync.aligned");
  if (d.take("mma_async")) return decodeMma(d, out);
  if (d.take("fence"))
    out.handler = fenceHandler;
  else if (d.take("commit_group"))
    out.handler = commitHandler;
  else if (d.take("wait_group"))
    out.handler = waitHandler, out.immediate = d.integer(0);
  else
    d.fail("expected .mma_async, .fence, .commit_group or .wait_group");
  d.finish();
}

} // namespace

extern const Table kWgmmaInstructions;
const Table kWgmmaInstructions = {
    {"wgmma", decodeWgmma, Counted::Tensor, Unwritten::Use, Order::Own, {{"sm_90a"}}}};

} // namespace mxc::sim
