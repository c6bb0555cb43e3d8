// A warp finds groups of rows by their ends, which lie on the device: of 32 equal shares the last ends, one a
// lane, then the 32 that follow the shares it lies past. Two loads, the second of which can be under way
// with others; more only where more than 32 groups end within a share, or within the warp's rows.
#pragma once

#include "compiler/lowering/entry/EntryFunction.h"

namespace mxc {

/// A group by its number, and the ends (i32, as they are in memory) before it and its own.
struct FoundGroup {
  mlir::Value group, begin, end;
};

class GroupSearch {
public:
  /// Whether a place (i1) lies past the end of the group.
  using Passed = std::function<mlir::Value(mlir::Value group, mlir::Value end)>;

  /// Issues the first load.
  GroupSearch(EntryFunction &entry, llvm::StringRef ends, mlir::Value lane);

  mlir::Value groups() const { return groups_; } // i32
  mlir::Value lastEnd() const;                   // of the last group

  /// Issues the second load. `first`: of the places the one before all others.
  void lookAhead(const Passed &first);

  /// The groups of places in rising order, the same in all lanes; or if `own` (i32, of each lane) names one
  /// of them, of that alone. A place past all groups: a number that is too large.
  llvm::SmallVector<FoundGroup> find(llvm::ArrayRef<Passed> places, mlir::Value own = {});

private:
  struct Ends {
    mlir::Value group, end; // of each lane
  };
  Ends load(mlir::Value group);
  llvm::SmallVector<mlir::Value> step(mlir::ValueRange state, llvm::ArrayRef<Passed> places, mlir::Value own);

  ValueBuilder v_;
  mlir::Value ends_, lane_, groups_, share_;
  Ends shares_, window_; // the last of each share; 32 from `first_` on
  mlir::Value first_, begin_;
};

} // namespace mxc
