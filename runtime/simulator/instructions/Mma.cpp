// mma.sync: matrix multiply-accumulate of a warp (PTX ISA 9.7.14), and its block-scaled kinds of sm_120f.
#include "runtime/simulator/instructions/Mma.h"

#include "runtime/simulator/arithmetic/FloatRules.h"
#include "runtime/simulator/arithmetic/HalfPrecision.h"
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/instructions/MatrixFragments.h"
#include "runtime/simulator/instructions/ModelInUse.h"
#include "runtime/simulator/instructions/WholeWarp.h"
#include "runtime/simulator/machine/Lanes.h"

#include <algorithm>
#include <cmath>

namespace mxc::sim {

namespace {

/// Lanes that supply scales, and the byte of their register (PTX ISA 9.7.14.5.15). `count` scales a row of A
/// or column of B.
///   A: of each quad, lanes 2 t and 2 t + 1 for rows g and g + 8;  B: lane t for column g
void loadScales(Warp &warp, const BlockScale &scale, const MmaForm &form, int rows, DotOperand &to) {
  const uint32_t *data = lanes<uint32_t>(warp, scale.data);
  uint32_t byte = lanes<uint16_t>(warp, scale.byte)[0], thread = lanes<uint16_t>(warp, scale.thread)[0];
  bool isA = rows == 16;
  if (thread > (isA ? 1u : 3u) || byte + form.scalesPerRow > 4 || (form.scalesPerRow > 1 && byte % 2))
    throw FaultError(FaultKind::Illegal, "block scale of byte " + std::to_string(byte) + " and thread " +
                                             std::to_string(thread) + " is none of this instruction");
  int covered = form.k / form.scalesPerRow;
  for (int row = 0; row < rows; ++row) {
    uint32_t lane = uint32_t(row % 8) * 4 + (isA ? 2 * thread + uint32_t(row / 8) : thread);
    for (int i = 0; i < form.scalesPerRow; ++i)
      to.setScale(row, i * covered, covered, form.scaleType, uint8_t(data[lane] >> 8 * (byte + uint32_t(i))));
  }
}

void count(Warp &warp, const MmaForm &form) {
  if (warp.statistics)
    warp.statistics->tensorOperations += uint64_t(form.m) * uint64_t(form.n) * uint64_t(form.k);
}

Outcome mmaHandler(Warp &warp, const Instruction &i) {
  if (!gatherWholeWarp(warp, "mma.sync")) return Outcome::Blocked;
  const auto &mma = static_cast<const Mma &>(*i.data);
  const MmaForm &form = mma.form;
  thread_local DotOperand a, b;
  uint32_t tile[256]; // the largest: 32 x 8, 16 x 16
  a.reset(mma.model, form.a, form.m, form.k);
  b.reset(mma.model, form.b, form.n, form.k);
  loadFragment(warp, mma.a, form.a, form.packing, a);
  loadFragment(warp, mma.b, form.b, form.packing, b);
  if (form.scalesPerRow) {
    loadScales(warp, mma.scaleA, form, form.m, a);
    loadScales(warp, mma.scaleB, form, form.n, b);
  }
  loadAccumulator(warp, mma.c, form.m, form.n, mma.isHalfC, tile);
  const bool isWide = form.accumulator == Accumulator::F32;
  const std::span<uint32_t> sums(tile, size_t(form.m) * size_t(form.n));
  if (isWide && mma.isHalfC) // exact
    for (uint32_t &sum : sums)
      sum = __builtin_bit_cast(uint32_t, F16::widen(uint16_t(sum)));
  accumulate(modelInUse(warp, mma.model), a, b, tile, size_t(form.n));
  if (isWide && mma.isHalfD) // no document says how: the f32 result, rounded once more
    for (uint32_t &sum : sums)
      sum = narrow16<F16>(__builtin_bit_cast(float, sum));
  storeAccumulator(warp, mma.d, form.m, form.n, mma.isHalfD, tile);
  count(warp, form);
  return Outcome::Next;
}

/// A NaN that comes in stays, quiet, with its sign and payload: b's before the sum's before a's. One that
/// arises is negative. (12,184 outputs of an H200, in m8n8k4 and m16n8k16.)
double nanOfStep(double a, double b, double sum) {
  constexpr uint64_t kQuiet = uint64_t(1) << 51, kDefault = uint64_t(0xFFF8) << 48;
  for (double operand : {b, sum, a})
    if (std::isnan(operand))
      return __builtin_bit_cast(double, __builtin_bit_cast(uint64_t, operand) | kQuiet);
  return __builtin_bit_cast(double, kDefault);
}

/// f64: a chain of fused multiply-adds, k ascending.
Outcome doubleHandler(Warp &warp, const Instruction &i) {
  if (!gatherWholeWarp(warp, "mma.sync")) return Outcome::Blocked;
  const auto &mma = static_cast<const Mma &>(*i.data);
  const MmaForm &form = mma.form;
  size_t blocks = size_t(form.m) / 8; // of 8 rows
  double results[4][kLanes];
  RoundingScope scope(form.rounding);
  for (size_t r = 0; r < mma.d.size(); ++r) // rows g + 8 (r / 2), columns 2 q + r % 2
    for (size_t lane = 0; lane < kLanes; ++lane) {
      size_t group = lane / 4, column = lane % 4 * 2 + r % 2;
      double sum = lanes<double>(warp, mma.c[r])[lane];
      for (size_t k = 0; k < size_t(form.k); ++k) {
        double a = lanes<double>(warp, mma.a[k / 4 * blocks + r / 2])[group * 4 + k % 4];
        double b = lanes<double>(warp, mma.b[k / 4])[column * 4 + k % 4];
        const double next = opaque(__builtin_fma(opaque(a), opaque(b), opaque(sum)));
        sum = std::isnan(next) ? nanOfStep(a, b, sum) : next;
      }
      results[r][lane] = sum;
    }
  for (size_t r = 0; r < mma.d.size(); ++r)
    std::copy_n(results[r], kLanes, lanes<double>(warp, mma.d[r]));
  count(warp, form);
  return Outcome::Next;
}

BlockScale decodeScale(Decoder &d, size_t index) {
  BlockScale scale;
  scale.data = d.read(index, kTypeB32);
  auto ids = registersOf(d, index + 1, 2);
  scale.byte = d.read(*ids[0], kTypeB16).offset;
  scale.thread = d.read(*ids[1], kTypeB16).offset;
  return scale;
}

void decodeMma(Decoder &d, Instruction &out) {
  if (!d.take("sync") || !d.take("aligned")) d.fail("expected .sync.aligned");
  auto mma = std::make_unique<Mma>();
  mma->form = takeMmaForm(d);
  const MmaForm &form = mma->form;
  mma->model =
      dotModelOf(d.chip(), TensorUnit::MmaSync, form.a, form.b, form.accumulator, form.isGroupScaled);
  mma->model.saturates = form.saturates;
  mma->model.isXor = form.isXor;
  mma->isHalfD = mma->isHalfC = form.accumulator == Accumulator::F16;
  d.finish();

  ptx::Type type = form.isDouble ? kTypeF64 : kTypeB32;
  for (const ptx::Operand *part : registersOf(d, 0, form.accumulatorRegisters()))
    mma->d.push_back(d.write(*part, type).offset);
  for (const ptx::Operand *part : registersOf(d, 1, form.registers(form.m, form.a)))
    mma->a.push_back(d.read(*part, type).offset);
  for (const ptx::Operand *part : registersOf(d, 2, form.registers(form.n, form.b)))
    mma->b.push_back(d.read(*part, type).offset);
  for (const ptx::Operand *part : registersOf(d, 3, form.accumulatorRegisters()))
    mma->c.push_back(d.read(*part, type).offset);
  if (form.scalesPerRow) {
    mma->scaleA = decodeScale(d, 4);
    mma->scaleB = decodeScale(d, 6);
  }
  size_t operands = form.scalesPerRow ? 8 : 4;
  if (d.operandCount() != operands) d.fail("expected " + std::to_string(operands) + " operands");
  out.handler = multiplyHandler(form);
  out.data = std::move(mma);
}

} // namespace

std::vector<const ptx::Operand *> registersOf(Decoder &d, size_t index, int expected) {
  const ptx::Operand &operand = d.operand(index);
  std::vector<const ptx::Operand *> parts;
  if (operand.kind == ptx::Operand::Kind::Vector)
    for (const ptx::Operand &part : operand.parts)
      parts.push_back(&part);
  else
    parts.push_back(&operand);
  if (int(parts.size()) != expected)
    d.fail("operand " + std::to_string(index + 1) + " needs " + std::to_string(expected) +
           " registers, found " + std::to_string(parts.size()));
  return parts;
}

Handler multiplyHandler(const MmaForm &form) { return form.isDouble ? doubleHandler : mmaHandler; }

extern const Table kMmaInstructions;
const Table kMmaInstructions = {{"mma",
                                 decodeMma,
                                 Counted::Tensor,
                                 Unwritten::Use,
                                 Order::None,
                                 {{"sm_120f", "kind::*"},
                                  {.target = "sm_120f", .form = "f16.e4m3", .isOfModel = true},
                                  {.target = "sm_120f", .form = "f16.e5m2", .isOfModel = true}}}};

} // namespace mxc::sim
