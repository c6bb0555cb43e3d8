// ldmatrix, stmatrix, movmatrix (PTX ISA 9.7.14.5.15 to 9.7.14.5.17): matrices between rows of 16 bytes of
// shared memory, whose addresses the lanes give, and fragments in registers.
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/instructions/AccessWords.h"
#include "runtime/simulator/instructions/WholeWarp.h"
#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/memory/LaneAccess.h"
#include "runtime/simulator/memory/UnwrittenValues.h"

#include <array>
#include <cstring>

namespace mxc::sim {

namespace {

constexpr uint32_t kRowBytes = 16;

/// Where a byte of a lane's fragment lies: in which row of the matrix, at which byte of it.
struct Cell {
  uint32_t row, byte;
};

// 8x8 of 16 bits, and 8x16 of 8 bits: lane 4r + c holds the c-th word of row r.
constexpr Cell rowMajor(uint32_t lane, uint32_t, uint32_t byte) { return {lane / 4, lane % 4 * 4 + byte}; }

// The same, transposed in units of 16 bits: lane 4r + c holds column r of rows 2c and 2c + 1.
constexpr Cell transposed16(uint32_t lane, uint32_t, uint32_t byte) {
  return {lane % 4 * 2 + byte / 2, lane / 4 * 2 + byte % 2};
}

// ldmatrix of 16x16 bytes, transposed: lane 4r + c holds rows 4c .. 4c + 3 of column r, then of column r + 8.
constexpr Cell transposed8(uint32_t lane, uint32_t reg, uint32_t byte) {
  return {lane % 4 * 4 + byte, lane / 4 + 8 * reg};
}

// stmatrix of 16x8 bytes, transposed: lane 4r + c holds columns r and r + 8 of the stored rows 2c and 2c + 1.
constexpr Cell transposedStore8(uint32_t lane, uint32_t, uint32_t byte) {
  return {lane % 4 * 2 + byte % 2, lane / 4 + byte / 2 * 8};
}

/// For the bytes of all lanes' register `reg`, in order: row * 16 + byte in the matrix.
using Places = std::array<uint8_t, 4 * kLanes>;
template <Cell (*layout)(uint32_t, uint32_t, uint32_t)> constexpr Places placesOf(uint32_t reg) {
  Places places{};
  for (uint32_t i = 0; i < places.size(); ++i) {
    Cell cell = layout(i / 4, reg, i % 4);
    places[i] = uint8_t(cell.row * kRowBytes + cell.byte);
  }
  return places;
}
constexpr Places kRowMajor = placesOf<rowMajor>(0), kTransposed16 = placesOf<transposed16>(0),
                 kTransposed8[] = {placesOf<transposed8>(0), placesOf<transposed8>(1)},
                 kTransposedStore8 = placesOf<transposedStore8>(0);

/// How the 16 elements of a row of 8x16 are packed in its 16 bytes; each becomes a byte, in its low bits.
enum class Packing : uint8_t { Bytes, SixBits, FourBits };

void unpackRow(Packing packing, std::byte *row) {
  const uint32_t bits = packing == Packing::SixBits ? 6 : 4;
  uint8_t packed[kRowBytes + 1] = {};
  std::memcpy(packed, row, kRowBytes);
  for (uint32_t i = 0; i < 16; ++i) {
    uint32_t at = i * bits, pair = packed[at / 8] | uint32_t(packed[at / 8 + 1]) << 8;
    row[i] = std::byte(pair >> at % 8 & ((1u << bits) - 1));
  }
}

struct MatrixMove : InstructionData {
  std::vector<uint32_t> registers;
  uint32_t matrices = 1, rows = 8, registersEach = 1;
  const Places *layout = &kRowMajor; // one for each of registersEach
  Packing packing = Packing::Bytes;
  ptx::Space space = ptx::Space::Generic;
};

/// The rows of all matrices: lane n gives the address of row n.
void placeRows(Warp &warp, const Instruction &i, const MatrixMove &move, AccessKind kind,
               LanePlaces &places) {
  uint32_t count = move.matrices * move.rows;
  uint32_t givers = count == kLanes ? ~0u : (1u << count) - 1;
  placeLanes(warp, i.address, givers, move.space, kRowBytes, kind, places);
}

/// Lanes of register k whose bytes come from, or go to, one of the rows.
uint32_t lanesOfRows(const MatrixMove &move, uint32_t k, uint32_t rows) {
  const Places &layout = move.layout[k % move.registersEach];
  uint32_t first = k / move.registersEach * move.rows, lanes = 0;
  for (uint32_t i = 0; i < layout.size(); ++i)
    if (rows >> (first + layout[i] / kRowBytes) & 1) lanes |= 1u << i / 4;
  return lanes;
}

Outcome loadMatrices(Warp &warp, const Instruction &i) {
  const MatrixMove &move = static_cast<const MatrixMove &>(*i.data);
  if (!gatherWholeWarp(warp, "ldmatrix")) return Outcome::Blocked;
  LanePlaces places;
  placeRows(warp, i, move, AccessKind::Load, places);
  std::byte rows[kLanes][kRowBytes];
  for (uint32_t row = 0; row < move.matrices * move.rows; ++row) {
    std::memcpy(rows[row], places.host[row], kRowBytes);
    if (move.packing != Packing::Bytes) unpackRow(move.packing, rows[row]);
  }
  for (uint32_t k = 0; k < move.registers.size(); ++k) {
    const Places &layout = move.layout[k % move.registersEach];
    const std::byte *matrix = &rows[k / move.registersEach * move.rows][0];
    std::byte *destination = warp.registers + move.registers[k];
    if (move.layout == &kRowMajor)
      std::memcpy(destination, matrix, layout.size());
    else
      for (uint32_t i = 0; i < layout.size(); ++i)
        destination[i] = matrix[layout[i]];
  }
  if (places.unwritten) [[unlikely]]
    for (uint32_t k = 0; k < move.registers.size(); ++k)
      if (uint32_t found = lanesOfRows(move, k, places.unwritten))
        holdUnwritten(warp, move.registers[k], found,
                      {&i, places.addresses[__builtin_ctz(places.unwritten)]});
  return Outcome::Next;
}

/// Bytes of the stored rows that come from lanes whose value nobody wrote.
void forgetUnwritten(Warp &warp, const MatrixMove &move, const LanePlaces &places) {
  for (uint32_t k = 0; k < move.registers.size(); ++k) {
    uint32_t unwritten = unwrittenLanes(warp, move.registers[k]);
    for (uint32_t i = 0; unwritten && i < move.layout->size(); ++i) {
      if (!(unwritten >> i / 4 & 1)) continue;
      uint32_t row = k * move.rows + (*move.layout)[i] / kRowBytes, byte = (*move.layout)[i] % kRowBytes;
      if (uint8_t *state = sharedState(clusterOf(warp), sharedAddress(places.addresses[row]) + byte))
        *state &= uint8_t(~kWritten);
    }
  }
}

Outcome storeMatrices(Warp &warp, const Instruction &i) {
  const MatrixMove &move = static_cast<const MatrixMove &>(*i.data);
  if (!gatherWholeWarp(warp, "stmatrix")) return Outcome::Blocked;
  LanePlaces places;
  placeRows(warp, i, move, AccessKind::Write, places);
  if (warp.holdsUnwritten) [[unlikely]]
    forgetUnwritten(warp, move, places);
  for (uint32_t k = 0; k < move.registers.size(); ++k) {
    const std::byte *source = warp.registers + move.registers[k];
    std::byte *const *rows = places.host + k * move.rows;
    for (uint32_t i = 0; i < move.layout->size(); ++i)
      rows[(*move.layout)[i] / kRowBytes][(*move.layout)[i] % kRowBytes] = source[i];
  }
  return Outcome::Next;
}

/// The 8x8 matrix of 16 bits that lies in the lanes' registers, transposed.
Outcome transposeMatrix(Warp &warp, const Instruction &i) {
  if (!gatherWholeWarp(warp, "movmatrix")) return Outcome::Blocked;
  std::array<uint32_t, kLanes> source;
  std::memcpy(source.data(), lanes<uint32_t>(warp, i.rows[1]), sizeof source);
  auto element = [&](uint32_t row, uint32_t column) {
    return source[row * 4 + column / 2] >> (column % 2 * 16) & 0xffff;
  };
  forLanes<uint32_t>(warp, i.rows[0], [&](int lane) {
    uint32_t row = uint32_t(lane) / 4, column = uint32_t(lane) % 4 * 2;
    return element(column, row) | element(column + 1, row) << 16;
  });
  return Outcome::Next;
}

/// .sync.aligned, the count and the state space, which all of ld- and stmatrix have.
std::unique_ptr<MatrixMove> takeMove(Decoder &d) {
  if (!d.take("sync") || !d.take("aligned")) d.fail("expected .sync.aligned");
  auto move = std::make_unique<MatrixMove>();
  std::string_view count = d.takeOneOf({"x1", "x2", "x4"});
  if (count.empty()) d.fail("expected .x1, .x2 or .x4");
  move->matrices = uint32_t(count[1] - '0');
  if (!d.takeOneOf({"shared", "shared::cta"}).empty()) move->space = ptx::Space::Shared;
  return move;
}

void decodeLoadMatrix(Decoder &d, Instruction &out) {
  std::unique_ptr<MatrixMove> move = takeMove(d);
  std::string_view shape = d.takeOneOf({"m8n8", "m16n16", "m8n16"});
  bool isTransposed = d.take("trans");
  if (shape == "m8n8" && d.take("b16")) {
    if (isTransposed) move->layout = &kTransposed16;
  } else if (shape == "m16n16" && isTransposed && d.take("b8")) {
    if (move->matrices > 2) d.fail("there are .x1 and .x2 of this shape");
    move->rows = 16, move->registersEach = 2;
    move->layout = kTransposed8;
  } else if (shape == "m8n16" && !isTransposed && d.take("b8x16")) {
    std::string_view format = d.takeOneOf({"b6x16_p32", "b4x16_p64"});
    if (format.empty()) d.fail("expected .b6x16_p32 or .b4x16_p64");
    move->packing = format == "b6x16_p32" ? Packing::SixBits : Packing::FourBits;
  } else {
    d.fail("there is no such shape and type");
  }
  d.finish();
  for (const ptx::Operand *element : elementsOf(d, d.operand(0), move->matrices * move->registersEach))
    move->registers.push_back(d.write(*element, kTypeB32).offset);
  out.address = d.address(1);
  out.data = std::move(move);
  out.handler = loadMatrices;
}

void decodeStoreMatrix(Decoder &d, Instruction &out) {
  std::unique_ptr<MatrixMove> move = takeMove(d);
  std::string_view shape = d.takeOneOf({"m8n8", "m16n8"});
  bool isTransposed = d.take("trans");
  if (shape == "m8n8" && d.take("b16")) {
    if (isTransposed) move->layout = &kTransposed16;
  } else if (shape == "m16n8" && isTransposed && d.take("b8")) {
    move->layout = &kTransposedStore8;
  } else {
    d.fail("there is no such shape and type");
  }
  d.finish();
  out.address = d.address(0);
  for (const ptx::Operand *element : elementsOf(d, d.operand(1), move->matrices))
    move->registers.push_back(d.read(*element, kTypeB32).offset);
  out.data = std::move(move);
  out.handler = storeMatrices;
}

void decodeMoveMatrix(Decoder &d, Instruction &out) {
  for (std::string_view word : {"sync", "aligned", "m8n8", "trans", "b16"})
    if (!d.take(word)) d.fail("expected .sync.aligned.m8n8.trans.b16");
  d.finish();
  out.rows[0] = d.write(0, kTypeB32);
  out.rows[1] = d.read(1, kTypeB32);
  out.handler = transposeMatrix;
}

} // namespace

extern const Table kMatrixMoveInstructions = {
    {"ldmatrix",
     decodeLoadMatrix,
     Counted::Memory,
     Unwritten::Move,
     Order::None,
     {{"sm_100", "m16n16"}, {"sm_100", "m8n16"}}},
    {"stmatrix", decodeStoreMatrix, Counted::Memory, Unwritten::Move, Order::None, {{"sm_100", "m16n8"}}},
    {"movmatrix", decodeMoveMatrix, Counted::Memory, Unwritten::Warp, Order::None}};

} // namespace mxc::sim
