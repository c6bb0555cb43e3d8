// The exact dot-product-accumulate of tensor cores: D = C + A * B of one instruction, to the bit.
//
// Floating-point products and C are cut toward zero to a multiple of 2^(largest exponent - F), summed
// exactly, and rounded once. Measured on sm_90a; for sm_100a and up the same rule with the widths that are
// published (NVIDIA documents none of it).
//
// Use: fill two DotOperands (A: rows are m; B: rows are n), then accumulate(model, a, b, c, stride). An
// operand is decoded once and multiplied with every row of the other.
#pragma once

#include "dialect/formats/TargetName.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace mxc::sim {

/// What an operand's element is: its bits as PTX packs them (tf32: 32 bits, of which the low 13 are dropped).
enum class Element : uint8_t { F16, BF16, TF32, E4M3, E5M2, E2M3, E3M2, E2M1, S8, U8, S4, U4, B1 };
std::optional<Element> elementNamed(std::string_view name); // "e4m3"; nothing if there is none
uint32_t bitsOf(Element element);                           // 32 for tf32, 6 for e2m3, 1 for b1
bool isInteger(Element element);                            // s8, u8, s4, u4, b1

enum class Accumulator : uint8_t { F32, F16, S32 };
enum class ScaleType : uint8_t { UE8M0, UE4M3 };

/// Which instruction computes: their arithmetic differs even on one chip.
enum class TensorUnit : uint8_t { MmaSync, Wgmma, Tcgen05 };

struct DotModel {
  enum class Rule : uint8_t {
    FixedPoint, // C and all K products in one step
    TwoHalves,  // products as f16: k mod 4 in {0,1} from 0, then {2,3} on top, then + C to nearest even
    Groups,  // of 16 products, each summed exactly and scaled; then these and C in one step (mxf4, mxf4nvf4)
    Integer, // modulo 2^32, or saturating
  } rule = Rule::FixedPoint;
  Accumulator accumulator = Accumulator::F32;
  uint8_t fractionBits = 25; // F
  uint8_t resultFractionBits =
      23; // of an f32 result, which is cut toward zero; an f16 result is rounded to nearest even
  bool saturates = false; // Integer: .satfinite
  bool isXor = false;     // Integer, b1: xor.popc instead of and.popc
  bool isDouble = false;  // sums in f64 instead, rounded once to nearest even; not for Integer
};

/// The arithmetic of `unit` of a chip. isGroupScaled: kind::mxf4 and kind::mxf4nvf4. All
/// floating-point operands may mix as PTX lets them.
DotModel dotModelOf(TargetName chip, TensorUnit unit, Element a, Element b, Accumulator accumulator,
                    bool isGroupScaled = false);

/// One operand of one instruction, decoded: `rows` (m or n) times `k`.
class DotOperand {
public:
  static constexpr int kGroup = 16; // elements of a group of Rule::Groups

  /// Sizes it for elements of that kind. All elements must be set afterwards; scales are 1. Memory is kept
  /// between calls. Give the model: some rules look at operands in their own way.
  void reset(const DotModel &model, Element element, int rows, int k);

  void set(int row, int k, uint32_t bits);
  /// `count` packed elements of a row from k on: 16 bytes of shared memory, a register, .. e2m3, e3m2 and
  /// e2m1 lie in the low bits of a byte each, or one after the other if not isPadded.
  void setPacked(int row, int k, const void *bytes, int count, bool isPadded = true);
  /// Block scale of k in [first, first + count); count is k, or a multiple of 16 with Rule::Groups.
  void setScale(int row, int first, int count, ScaleType type, uint8_t bits);
  void negate(); // the whole operand (imm-scale -1, the descriptor's negate bits)

  int rows() const { return rows_; }
  int k() const { return k_; }

  // The decoded form, for accumulate(): [k * stride + row]; the value is significand * 2^(exponent -
  // fractionBits).
  enum Special : uint8_t { kFinite = 0, kInfinite = 1, kMinusInfinite = 2, kNaN = 4 };
  int stride = 0;       // rows, rounded up to a multiple of 8
  int fractionBits = 0; // of the element's significand
  std::vector<int16_t> significands, exponents;
  std::vector<int16_t> scaleExponents; // [group * stride + row]; group 0 of all k, or of 16 with Rule::Groups
  std::vector<int8_t> scaleSignificands; // in eighths; Rule::Groups only
  std::vector<uint8_t> specials;         // as significands; empty: all finite
  std::vector<uint8_t> rowIsSpecial;     // [row]: it has an infinity, a NaN or a NaN scale

  static constexpr int16_t kZeroExponent = -8192; // of zeros, which take no part in the alignment

private:
  void markSpecial(int row, int k, uint8_t special);
  Element element_ = Element::F16;
  int rows_ = 0, k_ = 0;
  bool isGrouped_ = false, isHalf_ = false;
};

/// c[m * cStride + n] = c + A * B for all m of a and n of b. c holds the accumulator's bits: an f16 in the
/// low half. With `readsC` false C is 0 and c is only written.
void accumulate(const DotModel &model, const DotOperand &a, const DotOperand &b, uint32_t *c, size_t cStride,
                bool readsC = true);

} // namespace mxc::sim
