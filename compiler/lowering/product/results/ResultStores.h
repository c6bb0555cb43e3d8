// The epilogue on a piece of a product, and how what it makes leaves the chip.
#pragma once

#include "compiler/lowering/product/plan/ResultSink.h"

namespace mxc {

/// What the outputs get, one vector<n x f32> each: the epilogue on the product of each part and its inputs,
/// plus what the outputs held.
llvm::SmallVector<mlir::Value> applyEpilogue(const ResultSink &sink, const ValueBuilder &v,
                                             mlir::ValueRange products, const ResultBox &box); // Epilogue.cpp

/// Stores the codes and scales of a box of results, quantized along rows, where `store` is Tensor in whole
/// blocks.
void storeQuantizedRows(const ResultSink &sink, const ValueBuilder &v, const mx::QuantizedCopy &copy,
                        mlir::Value values, const ResultBox &box); // QuantizedRows.cpp
/// For tiles of fewer rows than a tile of scales has: where scales lie in those, zeros in the rest of the one
/// that row `last` lies in, the last one stored (i32, among the scales). For `columns` columns of c, 64 or
/// 128, from `firstColumn` on. By threads 0 to 126 of `thread` (i32).
void clearScalesPast(const ResultSink &sink, const ValueBuilder &v, const mx::QuantizedCopy &copy,
                     mlir::Value last, mlir::Value firstColumn, int columns,
                     mlir::Value thread); // QuantizedRows.cpp

/// The same along columns, in a copy [N, M]; by whole warps.
void storeQuantizedColumns(const ResultSink &sink, const ValueBuilder &v, const mx::QuantizedCopy &copy,
                           mlir::Value values, const ResultBox &box); // QuantizedColumns.cpp

/// Hands the epilogue's results of a box to every output.
void storeBox(const ResultSink &sink, const ValueBuilder &v, mlir::ValueRange products,
              const ResultBox &box); // ResultStores.cpp

} // namespace mxc
