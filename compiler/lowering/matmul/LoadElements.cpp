// The load role where no tensor map can read the operands: rows at any address. Four warps; thread t brings
// row t of a and of b, byte by byte, into the places of the 128B swizzle, and four bytes of each scale tile.
#include "compiler/lowering/matmul/MatmulRoles.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/pipeline/Steps.h"

using namespace mlir;

namespace mxc {

// What lies outside is zero; nothing is read there.
static Value loadWhere(const ValueBuilder &v, Value inside, Type type, Value base, Value offset,
                       unsigned bytes) {
  return steps::whereElseZero(v, inside, type,
                              [&] { return nvvm::load(v, type, nvvm::offsetBytes(v, base, offset), bytes); });
}

namespace {
class ElementLoads {
public:
  ElementLoads(const MatmulEntry &e, const ValueBuilder &v, const MatmulTile &tile, Value stage, Value step)
      : e_(e), v_(v), tile_(tile), stage_(stage), step_(step) {
    thread_ = mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type());
  }

  void row(Value operand, OperandPart part, Value first, Value extent) {
    std::string name = e_.nameOf(operand);
    int rank = cast<MemRefType>(operand.getType()).getRank();
    Value row = v_.add(first, thread_), rowInside = v_.less(row, extent);
    Value start = v_.mul(v_.toI64(row), e_.entry.stride(name, rank - 2));
    if (e_.isBatched()) start = v_.add(start, v_.mul(v_.toI64(tile_.batch), e_.entry.stride(name, 0)));
    Value to = address(part), swizzle = v_.mul(v_.bitAnd(thread_, 7), 16);
    steps::forRange(v_, v_.i32(0), v_.i32(8), [&](Value chunk) {
      Value column = v_.add(v_.mul(step_, kStepK), v_.mul(chunk, 16));
      SmallVector<Value> bytes;
      for (int i = 0; i < 16; ++i) {
        Value at = v_.add(column, i);
        bytes.push_back(loadWhere(v_, v_.bitAnd(rowInside, v_.less(at, e_.k)), v_.b.getI8Type(),
                                  e_.entry.pointer(name), v_.add(start, v_.toI64(at)), 1));
      }
      Value words = nvvm::fromElements(v_, VectorType::get(16, v_.b.getI8Type()), bytes);
      Value offset = v_.add(v_.mul(thread_, kStepK), v_.bitXor(v_.mul(chunk, 16), swizzle));
      nvvm::store(v_, words, nvvm::offsetBytes(v_, to, v_.toI64(offset)), 16);
    });
  }

  void scales(Value operand, OperandPart part, Value first, Value extent) {
    Value stepTiles = e_.steps, rowTiles = v_.divu(v_.add(extent, kScaleTileRows - 1), kScaleTileRows);
    Value rowTile = v_.divu(first, kScaleTileRows);
    Value tile = v_.add(v_.mul(v_.toI64(rowTile), v_.toI64(stepTiles)), v_.toI64(step_));
    if (e_.isBatched())
      tile = v_.add(tile, v_.mul(v_.toI64(tile_.batch), v_.mul(v_.toI64(rowTiles), v_.toI64(stepTiles))));
    Value offset = v_.add(v_.mul(tile, 512), v_.toI64(v_.mul(thread_, 4)));
    Value word = loadWhere(v_, v_.less(rowTile, rowTiles), v_.b.getI32Type(),
                           e_.entry.pointer(e_.nameOf(operand)), offset, 4);
    nvvm::store(v_, word, nvvm::offsetBytes(v_, address(part), v_.toI64(v_.mul(thread_, 4))), 4);
  }

private:
  Value address(OperandPart part) {
    return mx::StageAddressOp::create(v_.b, v_.loc, nvvm::pointerType(v_.b.getContext(), 3), e_.operands,
                                      stage_, v_.b.getI32IntegerAttr(part));
  }

  const MatmulEntry &e_;
  const ValueBuilder &v_;
  const MatmulTile &tile_;
  Value stage_, step_, thread_;
};
} // namespace

void emitLoadByElements(const MatmulEntry &e) {
  emitRole(e, "load", 5, e.plan.loadWarps, /*leader=*/false,
           [&](const ValueBuilder &v, const MatmulTile &tile) {
             steps::forRange(v, v.i32(0), e.steps, [&](Value step) {
               steps::fill(v, e.operands, [&](Value stage) {
                 ElementLoads loads(e, v, tile, stage, step);
                 loads.row(e.op.getA(), kPartA, tile.row, e.m);
                 loads.row(e.op.getB(), kPartB, tile.column, e.n);
                 loads.scales(e.op.getScalesA(), kPartScalesA, tile.row, e.m);
                 loads.scales(e.op.getScalesB(), kPartScalesB, tile.column, e.n);
               });
             });
           });
}

} // namespace mxc
