// Steps of a pipeline under construction: operations whose body a function writes.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"

namespace mxc::steps {

using mlir::Value;

/// LLVM neither unrolls the loop nor takes its first turn out of it.
void keepRolled(mlir::Operation *loop);
/// for i in from .. to (i32)
void forRange(const ValueBuilder &v, Value from, Value to, llvm::function_ref<void(Value i)> body);
/// The same in steps of `step`, as a loop in the machine code too: seldom executed, it shall cost no
/// registers.
void forRangeRolled(const ValueBuilder &v, Value from, Value to, int64_t step,
                    llvm::function_ref<void(Value i)> body);
void fill(const ValueBuilder &v, Value ring, llvm::function_ref<void(Value stage)> body);
void use(const ValueBuilder &v, Value ring, llvm::function_ref<void(Value stage)> body);
/// A use that hands on one value.
Value use(const ValueBuilder &v, Value ring, mlir::Type type, llvm::function_ref<Value(Value stage)> body);
/// A use that hands on values.
llvm::SmallVector<Value> use(const ValueBuilder &v, Value ring, mlir::TypeRange types,
                             llvm::function_ref<llvm::SmallVector<Value>(Value stage)> body);
/// Where a box goes: `offset` bytes (i32, null: none) into a region of a stage.
struct BoxTarget {
  Value ring, stage;
  int region;
  Value offset = {};
};
/// A box of `map`, whose barrier counts `bytes`; `toBoth`: into the stages of both CTAs of a cluster.
void copyBox(const ValueBuilder &v, Value map, mlir::ValueRange coordinates, const BoxTarget &to,
             int64_t bytes, bool toBoth = false);
/// One of both bodies.
void either(const ValueBuilder &v, Value condition, llvm::function_ref<void()> then,
            llvm::function_ref<void()> otherwise);
/// `body`'s value where `condition` holds, else zero; the body is executed only there.
Value whereElseZero(const ValueBuilder &v, Value condition, mlir::Type type,
                    llvm::function_ref<Value()> body);

// Attributes of operations while they are lowered (TilesAhead.cpp). On mx.tiles: where a tile lies is
// computed in the first step of the tile before it, which every tile has. On an operation in its body, which
// is made of the record alone and does nothing but load: that happens then, too. On mx.finish in the loop
// over steps: there.
inline constexpr llvm::StringLiteral kFetchesAhead = "mx.fetches_ahead", kIsFetched = "mx.is_fetched",
                                     kIsIdle = "mx.is_idle";
/// The first of these, for the mx.tiles around.
void fetchAhead(const ValueBuilder &v);

} // namespace mxc::steps
