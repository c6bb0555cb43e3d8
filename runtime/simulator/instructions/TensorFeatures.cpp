#include "runtime/simulator/instructions/TensorFeatures.h"

#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/report/Features.h"

namespace mxc::sim {

namespace {

const char *name(TensorKind kind) {
  constexpr const char *kNames[] = {"f16", "tf32", "f8f6f4", "i8", "mxf8f6f4", "mxf4", "mxf4nvf4"};
  return kNames[size_t(kind)];
}

const char *name(Element element) {
  constexpr const char *kNames[] = {"f16",  "bf16", "tf32", "e4m3", "e5m2", "e2m3", "e3m2",
                                    "e2m1", "s8",   "u8",   "s4",   "u4",   "b1"};
  return kNames[size_t(element)];
}

std::string swizzleText(const SmemMatrix &matrix) {
  if (matrix.span == 16) return "no swizzle";
  return "swizzle " + std::to_string(matrix.span) + "B" + (matrix.isAtom32 ? " of 32-byte atoms" : "");
}

/// The leading offset of a swizzled K-major matrix is not used.
std::string matrixText(const SmemMatrix &matrix, bool isTransposed) {
  const bool usesLeading = matrix.span == 16 || isTransposed;
  return std::string(isTransposed ? "MN-major" : "K-major") + ", " + swizzleText(matrix) +
         ", stride offset " + std::to_string(matrix.strideBytes) + ", leading " +
         (matrix.isAbsolute ? "address " + multipleText(matrix.leadingBytes, 1024)
                            : "offset " + std::string(usesLeading ? "" : "(not used) ") +
                                  std::to_string(matrix.leadingBytes));
}

std::string column(uint32_t address) { return "column " + multipleText(tensorColumn(address), 32); }

/// "128 x 64", innermost first.
template <class Values> std::string timesText(const Values &values, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += (i ? " x " : "") + std::to_string(values[i]);
  return text;
}

const char *name(TensorMapType type) {
  constexpr const char *kNames[] = {
      "u8",  "u16",  "u32",     "s32",  "u64",      "s64",         "f16",          "f32",
      "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz", "16u4_align8", "16u4_align16", "16u6_align16"};
  return kNames[size_t(type)];
}

} // namespace

void noteMultiply(Warp &warp, const TensorMultiply &multiply, uint32_t instructionDescriptor) {
  Features *features = clusterOf(warp).features.get();
  if (!features) return;
  const InstructionDescriptor &shape = multiply.shape;
  const std::string kind = std::string("mma ") + name(multiply.form.kind) +
                           (multiply.form.isPair ? " cta_group::2: " : " cta_group::1: ");
  auto add = [&](const std::string &line) { features->add(kind + line); };
  constexpr uint32_t kPlaces = 0x3F << 17 | 0x1F << 24,
                     kScaledPlaces = 0x3F << 17 | 3 << 27 | 3 << 29 | 3 << 4;
  add("descriptor " +
      hexadecimal(instructionDescriptor & ~(isBlockScaled(multiply.form.kind) ? kScaledPlaces : kPlaces)) +
      " besides shape and scale ids");
  add("m = " + std::to_string(shape.m) + ", n = " + std::to_string(shape.n));
  add(std::string("a ") + name(shape.a) + ", b " + name(shape.b));
  add("b " + matrixText(multiply.b, shape.isBTransposed));
  if (multiply.isAInTensorMemory)
    add("a in tensor memory");
  else
    add("a " + matrixText(multiply.a, shape.isATransposed));
  if (multiply.a.span == 128 && !shape.isATransposed && !multiply.isAInTensorMemory)
    add("a and b begin " + std::to_string(multiply.a.start % 1024) + " and " +
        std::to_string(multiply.b.start % 1024) + " bytes into 1024");
  if (shape.isANegated || shape.isBNegated) add("negated operands");
  add("d in lane " + std::to_string(tensorLane(multiply.dAddress)) + ", " + column(multiply.dAddress));
  add(multiply.readsD ? "adds to d" : "overwrites d");
  if (!isBlockScaled(multiply.form.kind)) return;
  add("scales " + std::to_string(shape.aScaleId) + " of a, " + std::to_string(shape.bScaleId) + " of b");
  add("scales of a in " + column(multiply.aScales));
  add("scales of b in " + column(multiply.bScales));
  if (multiply.aScales >> 30 || multiply.bScales >> 30) add("scale ids in the scales' addresses too");
}

void noteScaleCopy(Warp &warp, const std::string &shape, const SmemMatrix &source, uint32_t address) {
  Features *features = clusterOf(warp).features.get();
  if (!features) return;
  features->add("tcgen05.cp " + shape + ": from " + matrixText(source, false) + ", " +
                multipleText(source.start, 512) + " bytes");
  features->add("tcgen05.cp " + shape + ": to " + column(address));
}

void noteMove(Warp &warp, const Instruction &move) {
  Features *features = clusterOf(warp).features.get();
  if (!features) return;
  const uint32_t address = uint32_t(addressOf(warp, move.address, __builtin_ctz(warp.mask)));
  const bool isFull = tensorLane(address) / 32 == warp.index % 4;
  features->add(move.source->spelling() + ": " +
                (isFull ? "the warp's lanes in the address" : "lane 0 for every warp") + ", column " +
                multipleText(tensorColumn(address), 32));
}

void noteWgmmaMatrix(Warp &warp, const char *operand, const SmemMatrix &matrix, bool isTransposed) {
  if (Features *features = clusterOf(warp).features.get())
    features->add(std::string("wgmma: ") + operand + " " + matrixText(matrix, isTransposed));
}

void noteBox(Warp &warp, const TensorBox &box, bool isStore, uint32_t multicast, bool isPair) {
  Features *features = clusterOf(warp).features.get();
  if (!features) return;
  const TensorMap &map = box.map;
  const char *what = isStore ? "tensor store" : "tensor load";
  constexpr const char *kPromotions[] = {"none", "64B", "128B", "256B"};
  features->add(std::string(what) + ": " + name(map.type) + ", box " + timesText(map.box, map.rank) +
                ", swizzle " + std::to_string(map.swizzleBytes()) + "B");
  features->add(std::string(what) + ": element strides " + timesText(map.elementStride, map.rank) +
                ", promotion " + kPromotions[map.promotion & 3] + ", fill " +
                (map.fill == TensorMap::Fill::Zero ? "zeros" : "NaN"));
  bool isOver = false;
  for (unsigned d = 0; d < map.rank && !box.isRowList; ++d)
    isOver |= box.at[d] < 0 || uint64_t(box.at[d]) + map.box[d] > map.size[d];
  if (isOver) features->add(std::string(what) + ": of a box over the tensor's edge");
  features->add(std::string(what) + ": shared memory at " + multipleText(box.shared, 1024));
  if (multicast) features->add(std::string(what) + ": to " + std::to_string(multicast) + " CTAs");
  if (isPair) features->add(std::string(what) + ": completes on an mbarrier of the pair");
}

} // namespace mxc::sim
