// The copies of a role that loads: boxes by tensor maps, and rows of a by index.
#pragma once

#include "compiler/lowering/product/plan/OperandBox.h"
#include "compiler/lowering/product/plan/RowsByIndex.h"

#include <map>

namespace mxc {

/// Which operands' boxes a role brings of those that its rings have.
enum class Brought { Both, A, B };

class BoxLoads {
public:
  /// For a tile whose steps along K follow.
  BoxLoads(const ProductEntry &e, const ValueBuilder &v, const TileRecord &tile,
           llvm::ArrayRef<OperandBox> boxes, Brought brought = Brought::Both);

  /// Step `step` along K to a stage of a ring with these boxes.
  void copy(mlir::Value ring, mlir::Value stage, mlir::Value step) const;
  /// A whole fill of the ring's next stage.
  void fill(mlir::Value ring, mlir::Value step) const;

  /// The first row of a box, or its first tile of scales: i32.
  mlir::Value first(int region) const { return first_[region]; }
  /// Lets it begin elsewhere.
  void begin(int region, mlir::Value first) { first_[region] = first; }
  /// Which of the operand's matrices it is part of, counted over all batches; null where there is but one.
  mlir::Value matrix(int region) const;

private:
  // Where a step begins, by what a step has of the units that it is counted in, and their length along K.
  using StepBegins = std::map<std::pair<int, int>, mlir::Value>;
  void copyByMap(int region, mlir::Value ring, mlir::Value stage, mlir::Value step, StepBegins &begins) const;
  void copyByIndex(int region, int number, mlir::Value ring, mlir::Value stage, mlir::Value step) const;
  llvm::SmallVector<mlir::Value> coordinates(int region, mlir::Value along) const;
  mlir::Value inBatch(const OperandBox &box) const;
  bool isBrought(const OperandBox &box) const;
  bool isHalf(const OperandBox &box) const;
  mlir::Value firstOf(const OperandBox &box) const;

  const ProductEntry &e_;
  const ValueBuilder &v_;
  const TileRecord &tile_;
  llvm::ArrayRef<OperandBox> boxes_;
  Brought brought_;
  mlir::Value rank_, zero_;
  llvm::SmallVector<mlir::Value> first_; // of each box: its first row, or tile of scales
  std::optional<LaneRows> rows_;
};

} // namespace mxc
