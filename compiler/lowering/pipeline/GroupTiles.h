// How the tiles of mx.tiles lie in groups of rows (#mx.group_schedule).
#pragma once

#include "compiler/lowering/groups/GroupWindow.h"
#include "compiler/lowering/pipeline/Divisor.h"
#include "compiler/lowering/pipeline/Pipeline.h"

namespace mxc {

class GroupTiles {
public:
  GroupTiles(const ValueBuilder &v, mx::TilesOp op, Pipeline &pipeline);

  const GroupCut &cut() const { return cut_; }

  /// The body for a tile; inside a group supergroups as NumberedTiles has them.
  void emit(const ValueBuilder &v, const GroupOfTile &of);

private:
  mx::TilesOp op_;
  mx::GroupScheduleAttr schedule_;
  GroupCut cut_;
  Divisor whole_; // tiles of a full supergroup
};

/// QueuedGroups.cpp: tiles whose numbers come through the queue.
void walkQueuedGroups(const ValueBuilder &v, mx::TilesOp op, GroupTiles &tiles, Pipeline &pipeline);

} // namespace mxc
