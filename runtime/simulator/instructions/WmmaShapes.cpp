#include "runtime/simulator/instructions/WmmaShapes.h"

#include <algorithm>

namespace mxc::sim {

namespace {

struct ShapeRow {
  std::string_view name, elements, accumulators;
  WmmaShape shape;
};
constexpr ShapeRow kShapes[] = {
    {"m16n16k16", " f16 bf16 s8 u8 ", " f16 f32 s32 ", {16, 16, 16}},
    {"m8n32k16", " f16 bf16 s8 u8 ", " f16 f32 s32 ", {8, 32, 16}},
    {"m32n8k16", " f16 bf16 s8 u8 ", " f16 f32 s32 ", {32, 8, 16}},
    {"m16n16k8", " tf32 ", " f32 ", {16, 16, 8}},
    {"m8n8k32", " s4 u4 ", " s32 ", {8, 8, 32}},
    {"m8n8k128", " b1 ", " s32 ", {8, 8, 128}},
    {"m8n8k4", " f64 ", " f64 ", {8, 8, 4}},
};

int bitsOfType(std::string_view type) {
  if (type == "f64") return 64;
  if (type == "f32" || type == "s32") return 32;
  return int(bitsOf(*elementNamed(type)));
}

} // namespace

WmmaShape takeWmmaShape(Decoder &d, char matrix, std::string_view type) {
  const std::string word = " " + std::string(type) + " ";
  for (const ShapeRow &row : kShapes)
    if (d.take(row.name)) {
      const std::string_view types = matrix == 'a' || matrix == 'b' ? row.elements : row.accumulators;
      if (types.find(word) == types.npos) d.fail("." + std::string(type) + " does not go with this shape");
      return row.shape;
    }
  d.fail("expected a shape, such as .m16n16k16");
}

WmmaMatrix wmmaMatrix(const WmmaShape &shape, char matrix, std::string_view type) {
  WmmaMatrix result;
  result.isAccumulator = matrix == 'c' || matrix == 'd';
  result.rows = matrix == 'b' ? shape.n : shape.m;
  result.columns = result.isAccumulator ? shape.n : shape.k;
  result.elementBits = bitsOfType(type);
  result.distinct = result.rows * result.columns / kLanes / result.registerElements();
  result.registers = type == "f16" && !result.isAccumulator ? 8 : result.distinct;
  return result;
}

WmmaMatrix::Cell WmmaMatrix::cell(int reg, int lane) const {
  const int quad = lane / 4, inQuad = lane % 4, i = reg % distinct;
  const int blocks = rows / 8; // one below the other
  if (!isAccumulator) {        // a block: four lanes a row, a register each
    const int ofBlock = 4 * registerElements();
    return {uint32_t(i % blocks * 8 + quad), uint32_t(i / blocks * ofBlock + inQuad * registerElements())};
  }
  const int ofRow =
      2 / std::min(registerElements(), 2); // registers that hold a lane's two columns of a block
  const int block = i / ofRow;
  return {uint32_t(block % blocks * 8 + quad), uint32_t(block / blocks * 8 + inQuad * 2 + i % ofRow)};
}

} // namespace mxc::sim
