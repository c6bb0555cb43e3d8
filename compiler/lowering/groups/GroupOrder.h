// Groups of K, longest first: a table in global memory, one for each CTA, which computes it before its roles
// begin. Groups of as many slabs of K are in the order of their numbers, empty ones last.
//
//   record of rank r   group | its first element | its end | slabs of the groups before it
//                      an empty group's first element and end are 0
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"

namespace mxc {

inline constexpr int kOrderBytes = 16; // of a record

/// A record of the table; i32.
struct OrderedGroup {
  mlir::Value group, begin, end, slabsBefore;
};

/// What the order follows from; values are i32.
struct KGroups {
  mlir::Value ends;  // ptr<1>
  mlir::Value count; // of groups
  mlir::Value k;     // what ends are kept within
  int64_t slab;      // elements, at whose multiples groups begin
};

/// Writes the table to `order` (ptr<1>), by `threads` threads of which `thread` is one.
void writeGroupOrder(const ValueBuilder &v, const KGroups &groups, mlir::Value order, mlir::Value thread,
                     mlir::Value threads);
OrderedGroup groupOfRank(const ValueBuilder &v, mlir::Value order, mlir::Value rank);

/// Slabs of K that follow each other: a group's, or what lies past all groups. i32.
struct SlabRun {
  mlir::Value first, count;
  mlir::Value
      before; // slabs of the runs before it, where groups come in their order, and what is past them last
};

/// The run that has slab `number` of this order. Each slab of `all` is in one run, whatever the ends are. The
/// same in all lanes; by whole warps. `groups`: how many; `slab`: its elements.
SlabRun slabRunOf(const ValueBuilder &v, mlir::Value order, mlir::Value groups, int64_t slab, mlir::Value all,
                  mlir::Value number, mlir::Value lane);

} // namespace mxc
