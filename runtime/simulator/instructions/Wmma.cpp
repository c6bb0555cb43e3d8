// wmma: load, store and multiply matrices of a warp (PTX ISA 9.7.15). The arithmetic is that of mma.sync.
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/instructions/WmmaShapes.h"

#include "runtime/simulator/instructions/AccessWords.h"
#include "runtime/simulator/instructions/Mma.h"
#include "runtime/simulator/instructions/WholeWarp.h"
#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/memory/LaneAccess.h"
#include "runtime/simulator/memory/UnwrittenValues.h"

#include <algorithm>
#include <cstring>

namespace mxc::sim {

namespace {

struct Move : InstructionData {
  WmmaMatrix matrix;
  bool isAlong = false; // elements of a row are neighbours in memory; else those of a column
  std::vector<uint32_t> registers;
  uint32_t stride = 0;    // a row: elements from one row (or column) to the next
  uint32_t addresses = 0; // a row of 64 bits: where the lanes access
  ptx::Space space = ptx::Space::Generic;

  uint32_t pieces() const { return isAlong ? 1 : uint32_t(matrix.registerElements()); } // of a register
  uint32_t pieceBytes() const { return matrix.registerBytes() / pieces(); }
};

/// The lanes' places of a piece of a register.
void placePiece(Warp &warp, const Instruction &i, const Move &move, int reg, uint32_t piece, AccessKind kind,
                LanePlaces &places) {
  const uint32_t *stride = lanes<uint32_t>(warp, move.stride);
  uint64_t *addresses = lanes<uint64_t>(warp, move.addresses);
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto [row, column] = move.matrix.cell(reg, lane);
    const uint64_t index =
        move.isAlong ? uint64_t(row) * stride[lane] + column : uint64_t(column + piece) * stride[lane] + row;
    addresses[lane] = addressOf(warp, i.address, lane) + index * uint64_t(move.matrix.elementBits) / 8;
  }
  placeLanes(warp, {{move.addresses, 8}, 0}, warp.mask, move.space, move.pieceBytes(), kind, places);
}

Outcome load(Warp &warp, const Instruction &i) {
  if (!gatherWholeWarp(warp, "wmma.load")) return Outcome::Blocked;
  const auto &move = static_cast<const Move &>(*i.data);
  uint64_t words[16][kLanes] = {};
  for (int reg = 0; reg < move.matrix.distinct; ++reg)
    for (uint32_t piece = 0; piece < move.pieces(); ++piece) {
      LanePlaces places;
      placePiece(warp, i, move, reg, piece, AccessKind::Load, places);
      for (int lane = 0; lane < kLanes; ++lane)
        std::memcpy(reinterpret_cast<std::byte *>(&words[reg][lane]) + piece * move.pieceBytes(),
                    places.host[lane], move.pieceBytes());
      if (places.unwritten) [[unlikely]]
        for (size_t copy = size_t(reg); copy < move.registers.size(); copy += size_t(move.matrix.distinct))
          holdUnwritten(warp, move.registers[copy], places.unwritten,
                        {&i, places.addresses[__builtin_ctz(places.unwritten)]});
    }
  for (size_t reg = 0; reg < move.registers.size(); ++reg)
    for (int lane = 0; lane < kLanes; ++lane)
      setLaneBits(warp, {move.registers[reg], move.matrix.registerBytes()}, lane,
                  words[reg % size_t(move.matrix.distinct)][lane]);
  return Outcome::Next;
}

Outcome store(Warp &warp, const Instruction &i) {
  if (!gatherWholeWarp(warp, "wmma.store")) return Outcome::Blocked;
  const auto &move = static_cast<const Move &>(*i.data);
  for (int reg = 0; reg < move.matrix.distinct; ++reg)
    for (uint32_t piece = 0; piece < move.pieces(); ++piece) {
      LanePlaces places;
      const uint32_t row = move.registers[size_t(reg)], bytes = move.pieceBytes();
      placePiece(warp, i, move, reg, piece, AccessKind::Write, places);
      if (warp.holdsUnwritten) [[unlikely]]
        storeUnwritten(warp, row, move.space, places.addresses, 0, bytes, 0);
      for (uint32_t lane = 0; lane < kLanes; ++lane)
        std::memcpy(places.host[lane],
                    warp.registers + row + lane * move.matrix.registerBytes() + piece * bytes, bytes);
    }
  return Outcome::Next;
}

/// `.a`, `.row`, `.m16n16k16`, the space, `.f16`; then [address]{, stride} from operand `address` on.
std::unique_ptr<Move> decodeMove(Decoder &d, Instruction &out, bool isStore) {
  auto move = std::make_unique<Move>();
  const std::string_view matrix = isStore ? d.takeOneOf({"d"}) : d.takeOneOf({"a", "b", "c"});
  const std::string_view layout = d.takeOneOf({"row", "col"});
  const std::string_view type =
      d.takeOneOf({"f16", "bf16", "tf32", "f32", "f64", "s8", "u8", "s4", "u4", "b1", "s32"});
  if (matrix.empty() || layout.empty() || type.empty()) d.fail("expected a matrix, .row or .col, and a type");
  const WmmaShape shape = takeWmmaShape(d, matrix[0], type);
  move->space = takeAccessWords(d).space;
  d.finish();
  move->matrix = wmmaMatrix(shape, matrix[0], type);
  move->isAlong = (layout == "row") != (matrix == "b");
  if (move->matrix.elementBits < 8 && !move->isAlong) d.fail("expected a row-major A, a column-major B");
  const size_t at = isStore ? 0 : 1, strideAt = at + (isStore ? 2 : 1);
  out.address = d.address(at);
  ptx::Operand packed;
  packed.bits = move->isAlong ? move->matrix.columns : move->matrix.rows;
  move->stride = d.read(strideAt < d.operandCount() ? d.operand(strideAt) : packed, kTypeB32).offset;
  move->addresses = d.scratch(8);
  return move;
}

void decodeLoad(Decoder &d, Instruction &out) {
  auto move = decodeMove(d, out, false);
  ptx::Type type = move->matrix.elementBits == 64 ? kTypeF64 : kTypeB32;
  for (const ptx::Operand *part : registersOf(d, 0, move->matrix.registers))
    move->registers.push_back(d.write(*part, type).offset);
  out.handler = load;
  out.data = std::move(move);
}

void decodeStore(Decoder &d, Instruction &out) {
  auto move = decodeMove(d, out, true);
  ptx::Type type = move->matrix.elementBits == 64 ? kTypeF64 : kTypeB32;
  for (const ptx::Operand *part : registersOf(d, 1, move->matrix.registers))
    move->registers.push_back(d.read(*part, type).offset);
  out.handler = store;
  out.data = std::move(move);
}

/// Types of D, A, B and C, in the order of the text; of f16 operands D's and C's alone are written.
std::vector<std::string> takeTypes(Decoder &d) {
  std::vector<std::string> types;
  for (const std::string &word : d.source().modifiers) {
    bool isType = elementNamed(word) || word == "f32" || word == "s32" || word == "f64";
    if (isType && d.take(word)) types.push_back(word);
  }
  if (types.size() == 2) types = {types[0], "f16", "f16", types[1]};
  if (types.size() != 4) d.fail("expected the types of D and C, or of D, A, B and C");
  return types;
}

MmaForm takeForm(Decoder &d, const std::vector<std::string> &types) {
  MmaForm form;
  const WmmaShape shape = takeWmmaShape(d, 'a', types[1]);
  form.m = shape.m, form.n = shape.n, form.k = shape.k;
  form.isDouble = types[1] == "f64";
  const bool isInteger = types[3] == "s32";
  const bool isMixed = types[0] != types[3]; // f16 and f32
  auto isOneOf = [](const std::string &type, std::string_view all) { return all.find(type) != all.npos; };
  const std::string_view sums = form.isDouble                    ? "f64"
                                : types[1] == "f16"              ? "f16 f32"
                                : isOneOf(types[1], "bf16 tf32") ? "f32"
                                                                 : "s32";
  const bool areLike = types[1] == types[2] || (isInteger && types[1].back() == types[2].back());
  if (!isOneOf(types[0], sums) || !isOneOf(types[3], sums) || !areLike)
    d.fail("these types do not go together");
  if (form.isDouble) {
    form.rounding = FE_TONEAREST;
    if (!d.take("rn")) d.fail("expected .rn");
    return form;
  }
  form.a = *elementNamed(types[1]), form.b = *elementNamed(types[2]);
  form.accumulator = isInteger                       ? Accumulator::S32
                     : types[3] == "f16" && !isMixed ? Accumulator::F16
                                                     : Accumulator::F32;
  if (isInteger && types[1] != "b1") form.saturates = d.take("satfinite");
  if (types[1] == "b1") {
    form.isXor = d.take("xor");
    if ((!form.isXor && !d.take("and")) || !d.take("popc")) d.fail("expected .and.popc or .xor.popc");
  }
  return form;
}

void decodeMultiply(Decoder &d, Instruction &out) {
  const std::string_view layouts[] = {d.takeOneOf({"row", "col"}), d.takeOneOf({"row", "col"})};
  if (layouts[0].empty() || layouts[1].empty()) d.fail("expected the layouts of A and B");
  auto mma = std::make_unique<Mma>();
  const std::vector<std::string> types = takeTypes(d);
  mma->form = takeForm(d, types);
  const MmaForm &form = mma->form;
  d.finish();
  mma->model = dotModelOf(d.chip(), TensorUnit::MmaSync, form.a, form.b, form.accumulator);
  mma->model.saturates = form.saturates;
  mma->model.isXor = form.isXor;
  mma->isHalfD = types[0] == "f16", mma->isHalfC = types[3] == "f16";
  if (d.operandCount() != 4) d.fail("expected 4 operands");
  const ptx::Type type = form.isDouble ? kTypeF64 : kTypeB32;
  std::vector<uint32_t> *rows[] = {&mma->d, &mma->a, &mma->b, &mma->c};
  for (size_t k = 0; k < 4; ++k) {
    const WmmaMatrix matrix = wmmaMatrix({form.m, form.n, form.k}, "dabc"[k], types[k]);
    for (const ptx::Operand *part : registersOf(d, k, matrix.registers))
      rows[k]->push_back((k ? d.read(*part, type) : d.write(*part, type)).offset);
    rows[k]->resize(size_t(matrix.distinct));
  }
  out.handler = multiplyHandler(form);
  out.data = std::move(mma);
}

void decodeWmma(Decoder &d, Instruction &out) {
  if (!d.take("sync") || !d.take("aligned")) d.fail("expected .sync.aligned");
  if (d.take("load")) return decodeLoad(d, out);
  if (d.take("store")) return decodeStore(d, out);
  if (!d.take("mma")) d.fail("expected .load, .store or .mma");
  decodeMultiply(d, out);
}

} // namespace

extern const Table kWmmaInstructions;
const Table kWmmaInstructions = {
    {"wmma", decodeWmma, Counted::Tensor, {Unwritten::Move, {{"mma", Unwritten::Use}}}, orderOfAccess()}};

} // namespace mxc::sim
