// add, sub and fma of 16-bit sources with an f32 accumulator (PTX ISA 9.7.5, "mixed precision").
#include "runtime/simulator/arithmetic/FloatRules.h"
#include "runtime/simulator/arithmetic/HalfPrecision.h"
#include "runtime/simulator/instructions/Arithmetic.h"
#include "runtime/simulator/instructions/Elementwise.h"

#include <cmath>

namespace mxc::sim {

namespace {

constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD}; // rn, rz, rm, rp
enum Small { kRounding, kIsSaturated };

struct Add {
  static float value(float a, float, float c) { return a + c; }
};
struct Sub {
  static float value(float a, float, float c) { return a - c; }
};
struct Fma {
  static float value(float a, float b, float c) { return std::fma(a, b, c); }
};

template <class Format, class Op> Outcome mixed(Warp &warp, const Instruction &i) {
  const uint16_t *a = lanes<uint16_t>(warp, i.rows[1]), *b = lanes<uint16_t>(warp, i.rows[2]);
  const float *c = lanes<float>(warp, i.rows[3]);
  bool isSaturated = i.small[kIsSaturated];
  RoundingScope scope(kModes[i.small[kRounding]]);
  forLanes<float>(warp, i.rows[0], [=](int lane) {
    float value =
        opaque(Op::value(opaque(Format::widen(a[lane])), opaque(Format::widen(b[lane])), opaque(c[lane])));
    return isSaturated ? saturated(value) : withCanonicalNan(value);
  });
  return Outcome::Next;
}

struct MixedRow {
  std::string_view opcode;
  Handler f16, bf16;
};
constexpr MixedRow kMixed[] = {{"add", mixed<F16, Add>, mixed<BF16, Add>},
                               {"sub", mixed<F16, Sub>, mixed<BF16, Sub>},
                               {"fma", mixed<F16, Fma>, mixed<BF16, Fma>}};

} // namespace

void decodeMixed(Decoder &d, Instruction &out) {
  std::string_view mode = d.takeOneOf({"rn", "rz", "rm", "rp"});
  out.small[kRounding] = mode == "rz" ? 1 : mode == "rm" ? 2 : mode == "rp" ? 3 : 0;
  out.small[kIsSaturated] = d.take("sat");
  if (!d.take("f32")) d.fail("expected an f32 result");
  bool isHalf = d.take("f16");
  if (!isHalf && !d.take("bf16")) d.fail("expected .f16 or .bf16 sources");
  d.finish();
  for (const MixedRow &row : kMixed)
    if (row.opcode == d.source().opcode) out.handler = isHalf ? row.f16 : row.bf16;
  size_t halves = d.source().opcode == "fma" ? 2 : 1;
  if (d.operandCount() != halves + 2) d.fail("wrong number of operands");
  out.rows[1] = d.read(1, kTypeB16);
  out.rows[2] = halves == 2 ? d.read(2, kTypeB16) : out.rows[1];
  out.rows[3] = d.read(halves + 1, kTypeF32);
  out.rows[0] = d.write(0, kTypeF32);
}

} // namespace mxc::sim
