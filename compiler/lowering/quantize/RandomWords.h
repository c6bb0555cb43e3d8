// The random bits by which a lane's elements are rounded.
#pragma once

#include "compiler/lowering/quantize/TilePosition.h"

namespace mxc {

class RandomWords {
public:
  /// `random`: an argument memref<2xi64> of the kernel. Of lanes whose rows of `elements` are `parts` vectors
  /// side by side.
  RandomWords(EntryFunction &entry, const KernelSignature &signature, mlir::Value random,
              const TilePosition &at, int elements, int parts);

  /// Of vector number `index`, the rows one after the other: words, one for four elements. Made where they
  /// are asked for, so that those of one row are in registers at a time.
  llvm::SmallVector<mlir::Value> of(size_t index) const;

private:
  ValueBuilder v_;
  const TilePosition &at_;
  int elements_; // of a vector
  size_t parts_;
  mlir::Value seed_, offset_, column_, run_;
};

} // namespace mxc
