// What one tile of a product asks of a launch and of the chip, before anything is emitted, and what its entry
// point does. One class a machine.
#pragma once

#include "compiler/lowering/entry/EntryDriver.h"
#include "compiler/targets/Target.h"
#include "dialect/MxOps.h"
#include "dialect/formats/PackedCodes.h"

namespace mxc {

/// Elements of K that one tile of scales has: a step of the products.
inline constexpr int kStepK = 128;
inline constexpr int kBlockColumns = kStepK / kScaleTileBlocks; // that share a scale: a word of them a step
inline constexpr int kStepKBf16 = 64;                           // of a stage of bf16: 128 bytes

/// What 128 bytes of both operands' rows are in shared memory, for instructions with scales: a step along K.
struct ProductStep {
  mx::BlockMmaKind kind;
  ElementFormat a, b;
  int elements;   // along K
  int scaleTileK; // elements of K that a tile of scales has
  bool isPadded(ElementFormat operand) const { return mx::isPadded(kind, operand); }
  /// Bytes of a step of `rows` rows in global memory, which are those that a copy's barrier counts.
  int64_t copiedBytes(ElementFormat operand, int64_t rows) const {
    return storageBytes(operand, rows * elements);
  }
  int scaleTiles() const { return elements / scaleTileK; }
  int instructions() const { return 4; } // of 32 bytes along K
  /// Which byte of the scales' words the first block of an instruction has.
  int selector(int instruction) const {
    return instruction * (elements / instructions()) / (scaleTileK / kScaleTileBlocks) % kScaleTileBlocks;
  }
};
inline constexpr int kStepBytes = 128;
ProductStep productStep(mx::ProductOpInterface op);
/// Bits of an element of the narrower operand.
int narrowestBits(mx::ProductOpInterface op);

class ProductPlan {
public:
  virtual ~ProductPlan() = default;

  /// "", or why the tile does not fit the chip, with the sum.
  virtual std::string refusal(const Target &target) const = 0;
  /// What loads and stores ask of the dimensions.
  virtual llvm::SmallVector<std::string> conditions(mx::ProductOpInterface op) const = 0;
  /// The entry point: its grid, tensor maps, alignments, workspaces and shared memory.
  virtual EntryPlan entry(mx::ProductOpInterface op, const KernelSignature &signature) const = 0;
  /// Whether CTAs make the order of groups of K in the workspace for it.
  virtual bool ordersInWorkspace() const { return true; }
  /// Emits what the CTAs do.
  virtual void emit(mx::ProductOpInterface op, const KernelSignature &signature,
                    EntryFunction &function) const = 0;
};

/// The extents of a product as expressions of the launch.
struct ProductExtents {
  ShapeExpression m, n, k, batches; // batches: 1 where there are none
  ShapeExpression rowsA;            // of a matrix a: m, but where an index gathers them
  bool isBatched;
  ShapeExpression groups = {}; // of rows; empty: there are none
  int64_t groupAlignment = 1;
  ShapeExpression kGroups = {}; // of K, each with results of its own; empty: there are none
  int64_t parts = 1;            // matrices in one of b's batches

  ProductExtents(mx::ProductOpInterface op, const KernelSignature &signature);
  bool hasGroups() const { return !groups.empty(); }
  ShapeExpression scaleRowsA() const;
  /// Of a batch: of each group and part.
  ShapeExpression matricesOfB() const { return (hasGroups() ? groups : ShapeExpression(1)) * parts; }
  ProductExtents ofB() const;       // whose batches are the groups of rows
  ProductExtents ofResults() const; // whose batches are the groups of K
  /// Of all batches; of groups as many as there can be, whatever their rows are.
  ShapeExpression tiles(int tileM, int tileN) const;
};

/// Bytes of an element of c, by which boxes of results are as wide as they are.
int bytesOfResult(mx::ProductOpInterface op);

} // namespace mxc
