#include "runtime/simulator/instructions/MmaShapes.h"

#include <algorithm>

namespace mxc::sim {

int MmaForm::registers(int rows, Element element) const {
  if (isDouble) return rows * k / 32;
  int bits = packing == Packing::Bytes ? 8 : int(bitsOf(element));
  return rows * k * bits / (32 * 32);
}

int MmaForm::accumulatorRegisters() const { return m * n / (accumulator == Accumulator::F16 ? 64 : 32); }

namespace {

enum class Class : uint8_t { Half, BFloat, Tf32, Byte, Integer8, Integer4, Bit, Double };

struct ShapeRow {
  Class elements;
  std::string_view name;
  int m, k;
};
constexpr ShapeRow kShapes[] = {
    {Class::Half, "m16n8k8", 16, 8},       {Class::Half, "m16n8k16", 16, 16},
    {Class::BFloat, "m16n8k8", 16, 8},     {Class::BFloat, "m16n8k16", 16, 16},
    {Class::Tf32, "m16n8k4", 16, 4},       {Class::Tf32, "m16n8k8", 16, 8},
    {Class::Byte, "m16n8k32", 16, 32},     {Class::Integer8, "m8n8k16", 8, 16},
    {Class::Integer8, "m16n8k16", 16, 16}, {Class::Integer8, "m16n8k32", 16, 32},
    {Class::Integer4, "m8n8k32", 8, 32},   {Class::Integer4, "m16n8k32", 16, 32},
    {Class::Integer4, "m16n8k64", 16, 64}, {Class::Bit, "m8n8k128", 8, 128},
    {Class::Bit, "m16n8k128", 16, 128},    {Class::Bit, "m16n8k256", 16, 256},
    {Class::Double, "m8n8k4", 8, 4},       {Class::Double, "m16n8k4", 16, 4},
    {Class::Double, "m16n8k8", 16, 8},     {Class::Double, "m16n8k16", 16, 16},
};

struct Kind { // of sm_120f (PTX ISA 9.7.14.3, "Block Scaling for mma.sync")
  std::string_view name, scaleVector, scaleType;
  int scalesPerRow;
  bool isDefault; // the scale_vec that is meant if none is written
};
constexpr Kind kKinds[] = {
    {"kind::f8f6f4", "", "", 0, true},
    {"kind::mxf8f6f4", "scale_vec::1X", "ue8m0", 1, true},
    {"kind::mxf4", "scale_vec::2X", "ue8m0", 2, true},
    {"kind::mxf4nvf4", "scale_vec::2X", "ue8m0", 2, false},
    {"kind::mxf4nvf4", "scale_vec::4X", "ue4m3", 4, false},
    {"kind::mxf4nvf4", "scale_vec::4X", "ue8m0", 4, false},
};

/// The words for D, A, B, C, in the order of the text.
std::vector<std::string> takeTypes(Decoder &d) {
  std::vector<std::string> types;
  for (const std::string &word : d.source().modifiers) {
    bool isType = elementNamed(word) || word == "f32" || word == "s32" || word == "f64";
    if (isType && d.take(word)) types.push_back(word);
  }
  if (types.size() != 4) d.fail("expected the types of D, A, B and C");
  if (types[0] != types[3]) d.fail("D and C must be of one type");
  return types;
}

Class classOf(Element element) {
  switch (element) {
  case Element::F16:
    return Class::Half;
  case Element::BF16:
    return Class::BFloat;
  case Element::TF32:
    return Class::Tf32;
  case Element::S8:
  case Element::U8:
    return Class::Integer8;
  case Element::S4:
  case Element::U4:
    return Class::Integer4;
  case Element::B1:
    return Class::Bit;
  default:
    return Class::Byte;
  }
}

bool mayAccumulate(Class elements, Accumulator accumulator) {
  switch (accumulator) {
  case Accumulator::F32:
    return elements <= Class::Byte;
  case Accumulator::F16:
    return elements == Class::Half || elements == Class::Byte;
  case Accumulator::S32:
    return elements >= Class::Integer8 && elements <= Class::Bit;
  }
  return false;
}

void takeKind(Decoder &d, MmaForm &form, const std::string &kindWord) {
  bool isScaled = d.take("block_scale");
  std::string vector;
  d.takePrefix("scale_vec::", vector);
  std::string_view scaleType = d.takeOneOf({"ue8m0", "ue4m3"});
  auto kind = std::ranges::find_if(kKinds, [&](const Kind &row) {
    return row.name == kindWord && row.scaleType == scaleType &&
           (vector.empty() ? row.isDefault : row.scaleVector == vector);
  });
  if (kind == std::end(kKinds) || isScaled != (kind->scalesPerRow != 0))
    d.fail("this kind and scale do not go together");
  form.scalesPerRow = kind->scalesPerRow;
  form.scaleType = scaleType == "ue4m3" ? ScaleType::UE4M3 : ScaleType::UE8M0;
  form.isGroupScaled = kind->name.starts_with("kind::mxf4");
  form.packing = form.isGroupScaled ? Packing::Dense : Packing::Bytes;
}

/// Types and the kind must fit.
void checkElements(Decoder &d, const MmaForm &form, const std::string &kind, Class elements) {
  bool areFloats = !isInteger(form.a) && !isInteger(form.b);
  auto isNarrow = [](Element element) { return bitsOf(element) < 8; };
  if (classOf(form.b) != elements || (areFloats && elements < Class::Byte && form.a != form.b))
    d.fail("A and B do not go together");
  if (!mayAccumulate(elements, form.accumulator))
    d.fail("this accumulator and these elements do not go together");
  if (form.isGroupScaled && (form.a != Element::E2M1 || form.b != Element::E2M1)) d.fail("expected e2m1");
  if (!kind.empty() && elements != Class::Byte) d.fail("this kind takes e4m3, e5m2, e2m3, e3m2 and e2m1");
  if (kind.empty() && elements == Class::Byte && (isNarrow(form.a) || isNarrow(form.b)))
    d.fail("elements of 6 and 4 bits need kind::f8f6f4 or a scaled kind");
  if (form.scalesPerRow && form.accumulator != Accumulator::F32)
    d.fail("block-scaled kinds accumulate in f32");
}

} // namespace

MmaForm takeMmaForm(Decoder &d) {
  MmaForm form;
  std::string word;
  if (d.take("sp") || d.take("sp::ordered_metadata")) d.fail("sparse mma is not modelled");
  if (!d.take("row") || !d.take("col")) d.fail("expected .row.col");
  std::string kind;
  if (d.takePrefix("kind::", kind)) takeKind(d, form, kind);
  std::vector<std::string> types = takeTypes(d);
  Class elements = Class::Double;
  form.isDouble = types[0] == "f64";
  if (form.isDouble) {
    // No document names these; the assembler takes them, and an H200 rounds so.
    constexpr std::pair<std::string_view, int> kRoundings[] = {
        {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
    for (auto [name, mode] : kRoundings)
      if (d.take(name)) form.rounding = mode;
    if (std::ranges::count(types, "f64") != 4) d.fail("expected four times f64");
  } else {
    std::optional<Element> a = elementNamed(types[1]), b = elementNamed(types[2]);
    if (!a || !b || types[0] == "bf16" || types[0] == "tf32") d.fail("these types do not go together");
    form.a = *a, form.b = *b;
    if (types[0] != "f32" && types[0] != "f16" && types[0] != "s32") d.fail("D must be f32, f16, s32 or f64");
    form.accumulator = types[0] == "f32"   ? Accumulator::F32
                       : types[0] == "f16" ? Accumulator::F16
                                           : Accumulator::S32;
    elements = classOf(*a);
    checkElements(d, form, kind, elements);
    if (elements == Class::Integer8 || elements == Class::Integer4) form.saturates = d.take("satfinite");
    if (elements == Class::Bit) {
      form.isXor = d.take("xor");
      if ((!form.isXor && !d.take("and")) || !d.take("popc")) d.fail("expected .and.popc or .xor.popc");
    }
  }
  if (!d.takePrefix("m8n8", word) && !d.takePrefix("m16n8", word)) d.fail("expected a shape");
  if (form.isGroupScaled) {
    if (word != "m16n8k64") d.fail("kind::mxf4 and kind::mxf4nvf4 have the shape m16n8k64");
    form.m = 16, form.k = 64;
    return form;
  }
  for (const ShapeRow &shape : kShapes)
    if (shape.elements == elements && shape.name == word) form.m = shape.m, form.k = shape.k;
  if (!form.m) d.fail("'" + word + "' is not modelled for these types");
  return form;
}

} // namespace mxc::sim
