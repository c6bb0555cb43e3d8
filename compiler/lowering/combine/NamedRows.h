// Rows of a matrix that an index names, a few for each row of another one, as lanes read them: a piece of
// each, all under way together.
#pragma once

#include "compiler/lowering/entry/EntryFunction.h"

namespace mxc {

inline constexpr int kCombineThreads = 128; // of a CTA

/// How lanes reach their elements: pieces of up to 16 bytes, of rows at such multiples, or one by one.
enum class RowAccess { Vector, Element };

class NamedRows {
public:
  /// Those that `rows` [M, k] names for row `row` (i64), which exists. With vector access `named` has rows.
  NamedRows(EntryFunction &entry, const KernelSignature &signature, mlir::Value named, mlir::Value rows,
            mlir::Value row);

  size_t count() const { return sources_.size(); }
  mlir::Value isThere(size_t j) const { return isThere_[j]; } // i1
  /// Where `table` [M, k] has its number `j` of the row: a global pointer.
  mlir::Value placeIn(mlir::Value table, size_t j) const;

  /// The words of a piece of row `j` at `column` (i64), and its elements as f32. Those of no row are -0:
  /// added, or multiplied by +0 and added, that leaves every sum as it is.
  mlir::Value load(size_t j, mlir::Value column, int elements) const;
  llvm::SmallVector<mlir::Value> elements(size_t j, mlir::Value words, int elements) const;
  /// The same of one element, which is -0, too, where `isInside` (i1) does not hold.
  mlir::Value element(size_t j, mlir::Value column, mlir::Value isInside) const;

private:
  mlir::Value addressOf(size_t j, mlir::Value column) const;

  EntryFunction &entry_;
  const KernelSignature &signature_;
  ValueBuilder v_;
  mlir::Value named_, row_;
  llvm::SmallVector<mlir::Value> sources_, isThere_; // i64, a row that may be read; i1
};

/// A piece of a matrix's row: the words that hold it, and its elements as f32.
mlir::Value loadWords(const ValueBuilder &v, mlir::Type element, mlir::Value address, int elements);
llvm::SmallVector<mlir::Value> elementsOf(const ValueBuilder &v, mlir::Type element, mlir::Value words,
                                          int elements);
mlir::Value toF32(const ValueBuilder &v, mlir::Value x);
mlir::Value f32(const ValueBuilder &v, float value);
/// Where row `row` (i64) of the matrix `argument` has its element `column` (i64).
mlir::Value elementAddress(EntryFunction &entry, const KernelSignature &signature, mlir::Value argument,
                           mlir::Value row, mlir::Value column);

/// Bytes that one access takes of `elements` of the matrix: the alignment that its rows need.
int64_t pieceBytes(mlir::Value matrix, int elements);

} // namespace mxc
