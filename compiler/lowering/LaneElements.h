// A lane's fragments of row-major matrices: how they are loaded and stored, whole or element by element.
#pragma once

#include "compiler/lowering/TilePosition.h"

namespace mxc {

/// The widest access a fragment of `bytes` allows on this chip, and so the alignment that its rows need.
int accessBytes(const Target &target, int64_t bytes);

/// Fragments of `argument`, one a row of `at`, as vector<n x element>. Outside the matrix: with vector
/// access, whatever a valid place holds (mask with rowValid and columnValid); with element access, zeros
/// beyond the row's end.
llvm::SmallVector<mlir::Value> loadFragments(EntryFunction &entry, const TilePosition &at,
                                             mx::QuantizeTileAttr tile, llvm::StringRef argument,
                                             mlir::Type element, const Target &target);

/// Stores one fragment a row; nothing outside the matrix is written.
void storeFragments(EntryFunction &entry, const TilePosition &at, mx::QuantizeTileAttr tile,
                    llvm::StringRef argument, llvm::ArrayRef<mlir::Value> fragments, const Target &target);

/// i1: element `index` of the lane's fragment lies before the row's end.
mlir::Value elementValid(EntryFunction &entry, const TilePosition &at, int index);

} // namespace mxc
