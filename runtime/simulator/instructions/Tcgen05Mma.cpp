// tcgen05.mma, mma.ws (PTX ISA 9.7.16.10.9): decoding and issue. TensorMultiply computes.
#include "runtime/simulator/instructions/ModelInUse.h"
#include "runtime/simulator/instructions/TensorFeatures.h"
#include "runtime/simulator/machine/Lanes.h"

#include <algorithm>

namespace mxc::sim {

namespace {

struct Mma : InstructionData {
  TensorForm form;
  TargetName chip;
  Address d, aInTensorMemory, aScales, bScales;
  bool isAInTensorMemory = false, shiftsA = false;
  uint32_t a = kNone, b = kNone, descriptor = kNone, zeroColumns = kNone; // rows
  std::vector<uint32_t> disabledLanes;                                    // rows
  uint32_t readsD = kNone; // row of the predicate; kNone: a literal
  bool isReadsDNegated = false, readsDLiteral = false;
  uint32_t inputScale = 0;
};

struct MmaOperation : TensorOperation {
  TensorMultiply multiply;
  void compute(Cluster &) override { multiply.compute(); }
};

/// The operands' values for one thread.
TensorMultiply multiplyOf(Warp &warp, const Mma &mma, int thread) {
  TensorMultiply multiply;
  auto word = [&](const Address &address) { return uint32_t(addressOf(warp, address, thread)); };
  auto wide = [&](uint32_t row) { return lanes<uint64_t>(warp, row)[thread]; };
  multiply.form = mma.form;
  multiply.group = groupOf(warp, mma.form.isPair);
  multiply.shape =
      decodeInstructionDescriptor(lanes<uint32_t>(warp, mma.descriptor)[thread], mma.form, mma.chip);
  const InstructionDescriptor &shape = multiply.shape;
  bool isGroupScaled = mma.form.kind == TensorKind::MXF4 || mma.form.kind == TensorKind::MXF4NVF4;
  multiply.model = dotModelOf(mma.chip, TensorUnit::Tcgen05, shape.a, shape.b, shape.d, isGroupScaled);
  multiply.model = modelInUse(warp, multiply.model);
  multiply.model.saturates = shape.saturates;
  multiply.dAddress = word(mma.d);
  multiply.isAInTensorMemory = mma.isAInTensorMemory;
  if (mma.isAInTensorMemory)
    multiply.aAddress = word(mma.aInTensorMemory);
  else
    multiply.a = decodeMatrixDescriptor(wide(mma.a));
  multiply.b = decodeMatrixDescriptor(wide(mma.b));
  if (mma.shiftsA && shape.m != 128 && shape.m != 256)
    throw FaultError(FaultKind::Illegal, ".ashift needs M = 128 or 256, found " + std::to_string(shape.m));
  if (mma.isAInTensorMemory && shape.isATransposed)
    throw FaultError(FaultKind::Illegal,
                     "A in tensor memory is K-major, the instruction descriptor says M-major");
  multiply.shiftsA = mma.shiftsA;
  if (isBlockScaled(mma.form.kind))
    multiply.aScales = word(mma.aScales), multiply.bScales = word(mma.bScales);
  bool predicateBit =
      mma.readsD != kNone && (predicate(warp, mma.readsD) >> thread & 1) != uint32_t(mma.isReadsDNegated);
  multiply.readsD = mma.readsD == kNone ? mma.readsDLiteral : predicateBit;
  multiply.inputScale = mma.inputScale;
  for (size_t i = 0; i < mma.disabledLanes.size(); ++i)
    multiply.disabledLanes[i] = lanes<uint32_t>(warp, mma.disabledLanes[i])[thread];
  if (mma.zeroColumns != kNone) multiply.zeroColumns = wide(mma.zeroColumns);
  multiply.checksWritten = isChecked(warp) && !gridOf(warp).options->leavesOut(Finding::Unwritten);
  multiply.checksScales = isStrict(warp) && !gridOf(warp).options->leavesOut(Finding::ScaleCopies);
  multiply.checkAddresses();
  return multiply;
}

void issueMma(Warp &warp, const Instruction &i, int thread) {
  const Mma &mma = static_cast<const Mma &>(*i.data);
  auto operation = std::make_unique<MmaOperation>();
  operation->multiply = multiplyOf(warp, mma, thread);
  const TensorMultiply &multiply = operation->multiply;
  noteMultiply(warp, multiply, lanes<uint32_t>(warp, mma.descriptor)[thread]);
  operation->uses = multiply.uses();
  operation->chain = tensorChain(*multiply.group.ctas[0]);
  requireTensorUses(warp, operation->uses, operation->chain, TensorOrder::Issued, thread);
  multiply.forChunks([&](Cta &cta, uint32_t offset, const char *operand) {
    useChunk(warp, *operation, *multiply.group.ctas[0], cta, offset, operand, thread);
  });
  if (warp.statistics)
    warp.statistics->tensorOperations += uint64_t(multiply.shape.m) * multiply.shape.n * multiply.shape.k;
  issueTensorOperation(warp, i, std::move(operation));
}

/// A thread issues a whole multiplication; of several lanes each issues one.
Outcome mmaHandler(Warp &warp, const Instruction &i) {
  forEachLane(warp, [&](int thread) {
    try {
      issueMma(warp, i, thread);
    } catch (FaultError &error) {
      if (error.fault.lane < 0) error.fault.lane = thread;
      throw;
    }
  });
  return Outcome::Next;
}

struct Scaling { // PTX ISA 9.7.16.10.7.2: what block_scale says, by kind
  TensorKind kind;
  std::string_view word; // "": none is given
  uint32_t scalesPerRow;
};
const Scaling kScalings[] = {
    {TensorKind::MXF8F6F4, "", 1},
    {TensorKind::MXF8F6F4, "scale_vec::1X", 1},
    {TensorKind::MXF8F6F4, "block32", 1},
    {TensorKind::MXF4, "", 2},
    {TensorKind::MXF4, "scale_vec::2X", 2},
    {TensorKind::MXF4, "block32", 2},
    {TensorKind::MXF4NVF4, "scale_vec::2X", 2},
    {TensorKind::MXF4NVF4, "block32", 2},
    {TensorKind::MXF4NVF4, "scale_vec::4X", 4},
    {TensorKind::MXF4NVF4, "block16", 4},
};

void takeKind(Decoder &d, TensorForm &form) {
  constexpr std::string_view kKinds[] = {"kind::f16",      "kind::tf32", "kind::f8f6f4",  "kind::i8",
                                         "kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4"};
  std::string word;
  if (!d.takePrefix("kind::", word)) d.fail("expected .kind::");
  auto found = std::ranges::find(kKinds, word);
  if (found == std::end(kKinds)) d.fail("'." + word + "' is not known");
  form.kind = TensorKind(found - std::begin(kKinds));
  if (d.take("block_scale") != isBlockScaled(form.kind))
    d.fail(".block_scale goes with the mx kinds, all of them");
  if (!isBlockScaled(form.kind)) return;
  std::string_view scaling =
      d.takeOneOf({"scale_vec::1X", "scale_vec::2X", "scale_vec::4X", "block16", "block32"});
  for (const Scaling &row : kScalings)
    if (row.kind == form.kind && row.word == scaling) form.scalesPerRow = row.scalesPerRow;
  if (!form.scalesPerRow) d.fail("no such scale vector of ." + word);
}

/// Collectors keep operands for reuse: a hint, of which results do not depend.
void takeCollector(Decoder &d, const Mma &mma) {
  std::string word;
  if (!d.takePrefix("collector::", word)) return;
  std::string_view rest = std::string_view(word).substr(11);
  bool isKnown = mma.form.isWeightStationary
                     ? rest.size() > 4 && rest[0] == 'b' && rest[1] >= '0' && rest[1] <= '3'
                     : rest.starts_with("a::");
  std::string_view use = rest.substr(rest.find("::") == rest.npos ? rest.size() : rest.find("::") + 2);
  if (!isKnown || (use != "fill" && use != "use" && use != "lastuse" && use != "discard"))
    d.fail("'." + word + "' is not known here");
}

void takeOperands(Decoder &d, Mma &mma) {
  using Kind = ptx::Operand::Kind;
  mma.d = d.address(0);
  mma.isAInTensorMemory = d.operand(1).kind == Kind::Address;
  if (mma.isAInTensorMemory)
    mma.aInTensorMemory = d.address(1);
  else
    mma.a = d.read(1, kTypeB64);
  if (mma.shiftsA && !mma.isAInTensorMemory) d.fail(".ashift needs A in tensor memory");
  mma.b = d.read(2, kTypeB64);
  mma.descriptor = d.read(3, kTypeB32);
  size_t next = 4;
  if (isBlockScaled(mma.form.kind)) {
    mma.aScales = d.address(next++);
    mma.bScales = d.address(next++);
  } else if (!mma.form.isWeightStationary && d.operand(next).kind == Kind::Vector) {
    const std::vector<ptx::Operand> &masks = d.operand(next++).parts;
    if (masks.size() != (mma.form.isPair ? 8u : 4u))
      d.fail("disable-output-lane has 4 words, 8 with cta_group::2");
    for (const ptx::Operand &mask : masks)
      mma.disabledLanes.push_back(d.read(mask, kTypeB32).offset);
  }
  if (d.operand(next).kind == Kind::Integer)
    mma.readsDLiteral = d.integer(next) != 0;
  else
    mma.readsD = d.readPredicate(next, mma.isReadsDNegated);
  ++next;
  if (next == d.operandCount()) return;
  if (mma.form.isWeightStationary) {
    mma.zeroColumns = d.read(next, kTypeB64);
  } else {
    bool takesScale = mma.form.kind == TensorKind::F16 || mma.form.kind == TensorKind::TF32;
    int64_t scale = takesScale ? d.integer(next) : -1;
    if (scale < 0 || scale > 15) d.fail("scale-input-d is 0 to 15, of kind::f16 and kind::tf32");
    mma.inputScale = uint32_t(scale);
  }
  if (next + 1 != d.operandCount()) d.fail("too many operands");
}

} // namespace

void decodeTcgen05Mma(Decoder &d, Instruction &out) {
  d.take("mma");
  auto mma = std::make_unique<Mma>();
  if (d.take("sp")) d.fail("sparse matrices are not modelled");
  mma->form.isWeightStationary = d.take("ws");
  mma->form.isPair = takeCtaGroup(d);
  mma->chip = d.chip();
  takeKind(d, mma->form);
  if (mma->form.isWeightStationary && (mma->form.isPair || isBlockScaled(mma->form.kind)))
    d.fail(".ws takes cta_group::1 and no block scales");
  takeCollector(d, *mma);
  mma->shiftsA = !mma->form.isWeightStationary && d.take("ashift");
  takeOperands(d, *mma);
  out.data = std::move(mma);
  out.handler = mmaHandler;
  d.finish();
}

} // namespace mxc::sim
