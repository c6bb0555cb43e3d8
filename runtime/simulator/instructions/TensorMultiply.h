// One tcgen05.mma with the values of its operands: where its matrices lie, and D = A * B + D.
//
// Rows of D (PTX ISA 9.7.16.10.5). A CTA has M rows, of a pair M / 2; D's N columns are cut into parts that
// lie in other lanes:
//
//   M     form           rows of a CTA  parts  lane of row m, part p      name
//   128   cta_group::1   128            1      m                          layout D
//   256   cta_group::2   128            1      m                          layout A
//   64    cta_group::1   64             1      m / 16 * 32 + m % 16       layout F (from lane 0 or 16)
//   128   cta_group::2   64             2      m + 64 p                   layout B
//   64    .ws            64             2      m + 64 p                   layout E
//   32    .ws            32             4      m + 32 p                   layout G
//
// A in tensor memory lies in the same lanes, so it is there once a part.
#pragma once

#include "runtime/simulator/instructions/InstructionDescriptor.h"
#include "runtime/simulator/instructions/Tcgen05.h"

#include <array>

namespace mxc::sim {

struct TensorMultiply {
  TensorForm form;
  InstructionDescriptor shape;
  DotModel model;
  CtaGroup group;
  SmemMatrix a, b;
  bool isAInTensorMemory = false, shiftsA = false;               // .ashift
  uint32_t aAddress = 0, dAddress = 0, aScales = 0, bScales = 0; // of tensor memory
  bool readsD = true;
  uint32_t inputScale = 0; // D is multiplied by 2^-inputScale first
  std::array<uint32_t, 8> disabledLanes{};
  uint64_t zeroColumns = 0;   // zero-column mask descriptor of .ws (PTX ISA 9.7.16.4.3)
  bool checksWritten = false; // of what is read in tensor memory
  bool checksScales = false;  // that all copies of a scale are equal

  uint32_t rowsOfCta() const { return shape.m / group.count; }
  uint32_t parts() const;
  uint32_t columnsOfPart() const { return shape.n / parts(); }
  uint32_t laneOf(uint32_t row, uint32_t part) const;

  /// Throws FaultError: lanes of addresses, where K goes beyond a row, the zero-column mask.
  void checkAddresses() const;
  std::vector<TensorUse> uses() const;
  /// Every chunk of shared memory that is read: f(cta, offset, operand).
  template <class F> void forChunks(F f) const;

  void compute() const;

private:
  void checkRow(const SmemMatrix &matrix) const;
  std::optional<uint32_t> sourceColumn(uint32_t n) const; // row of B; nothing: zeros
  uint32_t elementsOfChunk(Element element) const;
  void loadShared(const Cta &cta, const SmemMatrix &matrix, bool isTransposed, Element element, uint32_t row,
                  uint32_t toRow, DotOperand &to) const;
  void loadA(Cta &cta, uint32_t part, DotOperand &to) const;
  void loadB(uint32_t part, DotOperand &to) const;
  uint32_t scaleWords(uint32_t id) const; // that hold a row's scales
  uint32_t scaleStride(bool isA) const;   // columns from one of them to the next
  void loadScales(Cta &cta, uint32_t part, bool isA, DotOperand &to) const;
  void loadD(Cta &cta, uint32_t part, uint32_t *tile) const;
  void storeD(Cta &cta, uint32_t ctaIndex, uint32_t part, const uint32_t *tile) const;
};

template <class F> void TensorMultiply::forChunks(F f) const {
  auto forMatrix = [&](Cta &cta, const SmemMatrix &matrix, bool isTransposed, Element element, uint32_t rows,
                       const char *what) {
    matrix.forChunks(isTransposed, 0, rows, shape.k, elementsOfChunk(element),
                     [&](uint32_t offset) { f(cta, offset, what); });
  };
  for (uint32_t index = 0; index < group.count; ++index) {
    Cta &cta = *group.ctas[index];
    if (!isAInTensorMemory) forMatrix(cta, a, shape.isATransposed, shape.a, rowsOfCta(), "matrix A");
    uint32_t shift = uint32_t(zeroColumns >> 56 & 63);
    forMatrix(cta, b, shape.isBTransposed, shape.b, shape.n / group.count + shift, "matrix B");
  }
}

} // namespace mxc::sim
