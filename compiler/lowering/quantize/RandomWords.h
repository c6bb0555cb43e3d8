// The random bits by which elements are rounded.
#pragma once

#include "compiler/lowering/quantize/TilePosition.h"

namespace mxc {

/// Seed and offset, of an argument memref<2xi64> of the kernel.
class RandomNumbers {
public:
  RandomNumbers(EntryFunction &entry, const KernelSignature &signature, mlir::Value random);

  /// The words of 16 elements of a row of a copy: `run` (i32) is the first one's column / 16. Four words.
  llvm::SmallVector<mlir::Value> ofRun(mlir::Value run, mlir::Value row) const;
  /// For a copy along columns.
  llvm::SmallVector<mlir::Value> ofColumnRun(mlir::Value run, mlir::Value row) const;

private:
  ValueBuilder v_;
  mlir::Value seed_, offset_;
};

/// For lanes whose rows of `elements` are `parts` vectors side by side.
class RandomWords {
public:
  RandomWords(EntryFunction &entry, const RandomNumbers &numbers, const TilePosition &at, int elements,
              int parts);

  /// The words of vector number `index`, the rows one after the other: words, one for four elements. Made
  /// where they are asked for, so that those of one row are in registers at a time.
  llvm::SmallVector<mlir::Value> of(size_t index) const;

private:
  ValueBuilder v_;
  RandomNumbers numbers_;
  const TilePosition &at_;
  int elements_; // of a vector
  size_t parts_;
  mlir::Value column_, run_;
};

} // namespace mxc
