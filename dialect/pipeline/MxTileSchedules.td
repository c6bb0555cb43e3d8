#ifndef MXC_DIALECT_PIPELINE_MXTILESCHEDULES_TD
#define MXC_DIALECT_PIPELINE_MXTILESCHEDULES_TD

include "dialect/attributes/MxAttributes.td"
include "dialect/pipeline/MxPipeline.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"

// Which tile a cluster works on next: the record of a tile, the schedules, and the operations that walk them.

def Mx_TileType : TypeDef<Mx_Dialect, "Tile"> {
  let mnemonic = "tile";
  let summary = "the record of a tile: which part of the results a cluster computes, from which part of K";
}

def Mx_StaticScheduleAttr : Mx_Attr<"StaticSchedule", "static_schedule", [Mx_TileScheduleAttrInterface]> {
  let summary = "cluster c takes tiles c, c + clusters, ..., or those that a ring brings";
  let description = [{
    Tiles go through a batch in supergroups of `supergroup` rows of tiles, columns first inside one, so that what runs at a
    time shares operands in L2. The `slices` of a tile along K follow each other.
  }];
  let parameters = (ins "unsigned":$supergroup, "unsigned":$slices);
  let hasCustomAssemblyFormat = 1;
  let builders = [AttrBuilder<(ins "const ScheduleMembers &":$of), [{
    return $_get($_ctxt, of.supergroup, of.slices);
  }]>];
  let genVerifyDecl = 1;
}

def Mx_GroupScheduleAttr
    : Mx_Attr<"GroupSchedule", "group_schedule", [DeclareAttrInterfaceMethods<Mx_TileScheduleAttrInterface, ["getSlices"]>]> {
  let summary = "tiles of rows in groups, one group after the other: those of #mx.static_schedule, or those that a ring brings";
  let description = [{
    Without a ring of tiles cluster c takes tiles c, c + clusters, ... Group g has the rows from roundup(ends[g-1], align) to ends[g]; ends are read as the walk comes to them, 32 at a time, each
    within 0 and m. Inside a group tiles are in the order of #mx.static_schedule. `batches` of mx.tiles is the number of groups.
  }];
  let parameters = (ins "unsigned":$supergroup, "unsigned":$align);
  let hasCustomAssemblyFormat = 1;
  let builders = [AttrBuilder<(ins "const GroupScheduleMembers &":$of), [{
    return $_get($_ctxt, of.supergroup, of.align);
  }]>];
  let genVerifyDecl = 1;
}

def Mx_KGroupScheduleAttr
    : Mx_Attr<"KGroupSchedule", "k_group_schedule", [DeclareAttrInterfaceMethods<Mx_TileScheduleAttrInterface, ["getSlices"]>]> {
  let summary = "the tiles of #mx.static_schedule, whose batches are groups that each have a part of K, longest groups first";
  let description = [{
    Without a ring of tiles a cluster takes a tile of every turn: the one of its number, and in every other turn of its number
    counted from the end, so that what longer groups cost more is shared evenly.
  }];
  let parameters = (ins "unsigned":$supergroup);
  let hasCustomAssemblyFormat = 1;
  let builders = [AttrBuilder<(ins "const KGroupScheduleMembers &":$of), [{ return $_get($_ctxt, of.supergroup); }]>];
  let genVerifyDecl = 1;
}

def Mx_OrderGroupsOp : Mx_PartOp<"order_groups", []> {
  let summary = "groups of K in the order in which tiles are worked on: a CTA's table";
  let description = [{
    Group g has the part of K from roundup(ends[g-1], slab) to ends[g], each within 0 and k; it may be empty. `orders` has room
    for `groups` records of 16 bytes, in global memory for every CTA of the launch: the group with most slabs first, and of as many
    the lower number. All threads of the CTA write them, before its roles begin.
  }];
  let arguments = (ins LLVM_AnyPointer:$ends, I32:$groups, I32:$k, I32Attr:$slab, LLVM_AnyPointer:$orders);
  let results = (outs LLVM_AnyPointer:$order);
  let assemblyFormat = "$groups `by` $ends `of` $k `slab` `=` $slab `to` $orders attr-dict `:` type($ends) `,` type($orders) `->` type($order)";
}

def Mx_TilesOp : Mx_StepOp<"tiles", [AttrSizedOperandSegments]> {
  let summary = "the tiles of this cluster, one after the other";
  let description = [{
    Every role walks the same tiles in the same order. `rows` x `columns` tiles of `tile` (results' rows x columns x a step
    along K, in elements) cover a result of `m` rows and `k` elements of K in each of `batches`. The body gets the record of a
    tile, which mx.tile_fields takes apart. A loop over its part of K may have no steps. `groups` is what lies in memory
    on them: for #mx.group_schedule the ends (i32), for #mx.k_group_schedule what mx.order_groups wrote. `from`: a ring that another
    role fills by mx.hand_out.
  }];
  let arguments = (ins I32:$rows, I32:$columns, I32:$batches, I32:$m, I32:$k, I32Attr:$tile_m, I32Attr:$tile_n, I32Attr:$tile_k,
                       Mx_TileScheduleAttrInterface:$schedule, Optional<LLVM_AnyPointer>:$groups, Optional<Mx_RingType>:$queue);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $rows `x` $columns `x` $batches `of` $m `by` $k `tile` `=` $tile_m `x` $tile_n `x` $tile_k `schedule` `=` $schedule
    (`groups` $groups^ `:` type($groups))? (`from` $queue^)? attr-dict-with-keyword $body
  }];
}

def Mx_TileFieldsOp : Mx_Op<"tile_fields", [Pure]> {
  let summary = "what the record of a tile says";
  let description = [{
    The tile's `group` (0 where a launch has one product), its batch, the first row and column that its cluster computes, the
    end of the rows that there are (its results are stored up to it), where the first row's scales are among those of all
    rows, its part of K from `k_begin` to `k_end` (whole steps:
    elements past K count as 0), and which of the slices along K it is.
  }];
  let arguments = (ins Mx_TileType:$tile);
  let results = (outs I32:$group, I32:$batch, I32:$row, I32:$column, I32:$rows, I32:$scale_row, I32:$k_begin, I32:$k_end, I32:$slice);
  let assemblyFormat = "$tile attr-dict";
}

def Mx_HandOutOp : Mx_PartOp<"hand_out", [AttrSizedOperandSegments]> {
  let summary = "a role's whole work: get the numbers of tiles, until there is none, and hand the tiles to the other roles";
  let description = [{
    The tiles are those of mx.tiles with the same operands. Fills `queue`, whose stages have 32 bytes, with their records, in every CTA
    of the cluster; its users are the mx.tiles of the other roles. A number is asked for when a stage is empty. Where it comes from:

    - `by` `counter` (i32, in global memory), one for all clusters of the launch, zero before it and after it: each cluster counts it up
      once for every tile that it gets and once more, so whoever counts last knows that. Numbers rise.
    - `by clusters`: a launch has a cluster for every tile that there may be. A cluster has the tile of its own number, then takes over
      clusters that were not launched yet (clusterlaunchcontrol.try_cancel), until an answer took nothing over, which ends this
      cluster's work and nothing else. Answers come to `answers`, a ring of one stage of 16 bytes that is filled `once` as far as barriers
      know, since the role itself has read one before it asks again. Numbers mostly rise, which nothing promises; one that no tile has is
      passed over.
  }];
  let arguments = (ins I32:$rows, I32:$columns, I32:$batches, I32:$m, I32:$k, I32Attr:$tile_m, I32Attr:$tile_n, I32Attr:$tile_k,
                       Mx_TileScheduleAttrInterface:$schedule, Optional<LLVM_AnyPointer>:$groups, Optional<LLVM_AnyPointer>:$counter,
                       Optional<Mx_RingType>:$answers, Mx_RingType:$queue);
  let assemblyFormat = [{
    $rows `x` $columns `x` $batches `of` $m `by` $k `tile` `=` $tile_m `x` $tile_n `x` $tile_k `schedule` `=` $schedule
    (`groups` $groups^ `:` type($groups))? `by` (`clusters` $answers^):($counter `:` type($counter))? `to` $queue attr-dict
  }];
}

#endif
