#include "runtime/simulator/instructions/InstructionDescriptor.h"

#include "runtime/simulator/report/Fault.h"

#include <algorithm>
#include <cstdio>
#include <initializer_list>

namespace mxc::sim {

namespace {

struct KindFacts {
  const char *name;
  uint32_t k;
  uint32_t reserved; // bits that must be 0
  std::initializer_list<std::pair<uint32_t, Element>> types;
  uint32_t wideK = 0; // with bit 31, on the chips that run PTX for kWideTarget
};
constexpr TargetName kWideTarget = "sm_103a";

using enum Element;
constexpr uint32_t bit(int index) { return 1u << index; }
constexpr uint32_t kPlainReserved = bit(0) | bit(1) | bit(3) | bit(6) | bit(23) | bit(29);
constexpr uint32_t kScaledReserved =
    bit(0) | bit(1) | bit(3) | bit(6) | bit(24) | bit(25) | bit(26) | bit(31);
const KindFacts kKinds[] = {
    // name, K, reserved, type codes (PTX ISA tables 42 to 44)
    {"f16", 16, kPlainReserved, {{0, F16}, {1, BF16}}},
    {"tf32", 8, kPlainReserved, {{2, TF32}}},
    {"f8f6f4", 32, kPlainReserved, {{0, E4M3}, {1, E5M2}, {3, E2M3}, {4, E3M2}, {5, E2M1}}},
    {"i8", 32, kPlainReserved & ~bit(3), {{0, U8}, {1, S8}}},
    {"mxf8f6f4", 32, kScaledReserved, {{0, E4M3}, {1, E5M2}, {3, E2M3}, {4, E3M2}, {5, E2M1}}},
    {"mxf4", 64, (kScaledReserved & ~bit(31)) | bit(12) | bit(15) | bit(16), {{1, E2M1}}, 96},
    {"mxf4nvf4", 64, (kScaledReserved & ~bit(31)) | bit(12) | bit(15) | bit(16), {{1, E2M1}}, 96},
};

class Reader {
public:
  Reader(uint32_t bits, const TensorForm &form, TargetName chip)
      : bits_(bits), form_(form), chip_(chip), facts_(kKinds[size_t(form.kind)]) {}

  uint32_t field(int first, int count) const { return bits_ >> first & ((1u << count) - 1); }
  bool flag(int index) const { return bits_ >> index & 1; }

  [[noreturn]] void fail(const std::string &why) const {
    char text[16];
    std::snprintf(text, sizeof text, "0x%08X", bits_);
    throw FaultError(FaultKind::Illegal, "instruction descriptor " + std::string(text) + " of kind::" +
                                             facts_.name + (form_.isWeightStationary ? " .ws" : "") +
                                             (form_.isPair ? " cta_group::2" : " cta_group::1") + ": " + why);
  }

  Element type(int first, const char *operand) const {
    for (auto [code, element] : facts_.types)
      if (field(first, 3) == code) return element;
    fail(std::string("the type of ") + operand + ", " + std::to_string(field(first, 3)) +
         ", is none of this kind");
  }

  Accumulator accumulator() const {
    if (isBlockScaled(form_.kind)) return Accumulator::F32;
    uint32_t code = field(4, 2);
    bool isHalf = code == 0 && (form_.kind == TensorKind::F16 || form_.kind == TensorKind::F8F6F4);
    if (form_.kind == TensorKind::I8 ? code != 2 : !isHalf && code != 1)
      fail("the type of D, " + std::to_string(code) + ", is none of this kind");
    return code == 2 ? Accumulator::S32 : code == 1 ? Accumulator::F32 : Accumulator::F16;
  }

  void checkReserved() const {
    if (flag(2)) fail("sparse operands are not modelled");
    if (uint32_t wrong = bits_ & facts_.reserved)
      fail("reserved bit " + std::to_string(__builtin_ctz(wrong)) + " is set");
    if (!isBlockScaled(form_.kind) && !form_.isWeightStationary && field(30, 2))
      fail("bits 30 and 31, the maximum shift, belong to .ws");
    if (flag(31) && facts_.wideK && !kWideTarget.ptxRunsOn(chip_))
      fail("bit 31, K = " + std::to_string(facts_.wideK) + ", needs " + kWideTarget.text() + ", this is " +
           chip_.text());
  }

  /// PTX ISA table 39.
  void checkShape(const InstructionDescriptor &idesc) const {
    auto isOneOf = [](uint32_t value, std::initializer_list<uint32_t> values) {
      return std::ranges::find(values, value) != values.end();
    };
    bool isRightM = form_.isWeightStationary    ? isOneOf(idesc.m, {32, 64, 128})
                    : form_.isPair              ? isOneOf(idesc.m, {128, 256})
                    : isBlockScaled(form_.kind) ? idesc.m == 128
                                                : isOneOf(idesc.m, {64, 128});
    if (!isRightM) fail("M = " + std::to_string(idesc.m) + " is no shape of it");
    uint32_t step = form_.isPair ? 16 : 8;
    if (form_.kind == TensorKind::I8) step = form_.isPair ? 32 : idesc.n > 32 ? 16 : 8;
    if (idesc.isBTransposed && bitsOf(idesc.b) <= 8) step = std::max(step, form_.isPair ? 32u : 16u);
    bool isRightN = form_.isWeightStationary ? isOneOf(idesc.n, {64, 128, 256})
                                             : idesc.n >= step && idesc.n <= 256 && idesc.n % step == 0;
    if (!isRightN) fail("N = " + std::to_string(idesc.n) + " is no shape of it");
  }

  void readScales(InstructionDescriptor &idesc) const {
    idesc.aScaleId = field(29, 2);
    idesc.bScaleId = field(4, 2);
    idesc.scalesPerRow = form_.scalesPerRow * idesc.k / facts_.k;
    // With K = 64 a word of four scales begins at byte 0, two scales are a half word. With K = 96 six scales
    // are one and a half words, three begin at any byte.
    const uint32_t step = idesc.k == facts_.k ? form_.scalesPerRow : form_.scalesPerRow / 2;
    for (uint32_t id : {idesc.aScaleId, idesc.bScaleId})
      if (id % step)
        fail("a scale factor id of " + std::to_string(id) + " with " + std::to_string(idesc.scalesPerRow) +
             " scales a row");
    idesc.scaleType = flag(23) ? ScaleType::UE8M0 : ScaleType::UE4M3;
    if (form_.kind != TensorKind::MXF4NVF4 && !flag(23)) fail("bit 23 must be 1: scales are ue8m0");
  }

  InstructionDescriptor read() const {
    checkReserved();
    InstructionDescriptor idesc;
    idesc.a = type(7, "A"), idesc.b = type(10, "B");
    if (form_.kind == TensorKind::F16 && idesc.a != idesc.b) fail("A and B must have one type");
    idesc.d = accumulator();
    if (idesc.d == Accumulator::F16 && idesc.a == BF16) fail("D is f16 with A and B of f16 alone");
    idesc.isANegated = flag(13), idesc.isBNegated = flag(14);
    if (form_.kind == TensorKind::I8 && (flag(13) || flag(14))) fail("integers cannot be negated");
    idesc.isATransposed = flag(15), idesc.isBTransposed = flag(16);
    idesc.saturates = form_.kind == TensorKind::I8 && flag(3);
    idesc.m = isBlockScaled(form_.kind) ? field(27, 2) * 128 : field(24, 5) * 16;
    idesc.n = field(17, 6) * 8;
    idesc.k = flag(31) && facts_.wideK ? facts_.wideK : facts_.k;
    checkShape(idesc);
    if (isBlockScaled(form_.kind))
      readScales(idesc);
    else if (uint32_t code = field(30, 2))
      idesc.maximumShift = 4u << code;
    return idesc;
  }

private:
  uint32_t bits_;
  const TensorForm &form_;
  const TargetName chip_;
  const KindFacts &facts_;
};

} // namespace

InstructionDescriptor decodeInstructionDescriptor(uint32_t bits, const TensorForm &form, TargetName chip) {
  return Reader(bits, form, chip).read();
}

} // namespace mxc::sim
