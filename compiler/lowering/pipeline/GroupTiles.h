// How tiles lie in groups of rows (#mx.group_schedule).
#pragma once

#include "compiler/lowering/groups/GroupWindow.h"
#include "compiler/lowering/pipeline/Pipeline.h"
#include "compiler/lowering/pipeline/TilesByNumber.h"

namespace mxc {

class GroupTiles {
public:
  GroupTiles(const ValueBuilder &v, const TileCut &cut, Pipeline &pipeline);

  const GroupCut &cut() const { return cut_; }

  /// A tile's record; inside a group supergroups as NumberedTiles has them.
  TileFields fields(const ValueBuilder &v, const GroupOfTile &of) const;

private:
  mlir::Value k_;
  int64_t tileN_, supergroup_;
  GroupCut cut_;
  Divisor whole_; // tiles of a full supergroup
};

} // namespace mxc
