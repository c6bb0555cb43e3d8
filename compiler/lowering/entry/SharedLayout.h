// The dynamic shared memory of one entry: named regions, one after the other.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mxc {

struct SharedRegion {
  std::string name;
  int64_t offset, bytes;
  int stages = 1; // of a ring, of equal size
};

class SharedLayout {
public:
  /// Appends a region and returns its offset. `alignment` is a power of two.
  int64_t add(llvm::StringRef name, int64_t bytes, int64_t alignment, int stages = 1);

  llvm::ArrayRef<SharedRegion> regions() const { return regions_; }
  int64_t alignment() const { return alignment_; } // the memory's, which the regions' rest on
  int64_t bytes() const;                           // what a launch asks for: whole pieces of 16 bytes
  std::string sum() const; // for people: "inputs 16384 + barriers 16", gaps counted to what precedes them

private:
  int64_t end() const { return regions_.empty() ? 0 : regions_.back().offset + regions_.back().bytes; }

  llvm::SmallVector<SharedRegion> regions_;
  int64_t alignment_ = 16;
};

} // namespace mxc
