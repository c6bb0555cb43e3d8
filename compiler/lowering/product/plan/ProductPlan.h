// What one tile of a product asks of a launch and of the chip, before anything is emitted, and what its entry
// point does. One class a machine.
#pragma once

#include "compiler/lowering/entry/EntryDriver.h"
#include "compiler/lowering/product/plan/OperandBox.h"
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

/// What runs the roles of an entry point.
struct PipelineShape {
  int warps;
  int tensorColumns = 0, allocatingWarp = 0; // of tensor memory, to allocate
  bool isPair = false;                       // CTAs of a cluster multiply together
  bool shares = false;                       // each brings halves to both
  int splits = 1;                            // CTAs of a cluster that share K
  llvm::ArrayRef<int32_t> registers = {};    // of a thread of each warpgroup; empty: as at launch
};

class ProductPlan {
public:
  virtual ~ProductPlan() = default;
  /// Adds to the kernel's ABI the workspaces that any of the operation's tiles may need.
  static void declare(mx::ProductOpInterface, KernelSignature &) {}

  /// "", or why the tile does not fit the chip, with the sum.
  virtual std::string refusal(const Target &target) const = 0;
  /// What loads and stores ask of the dimensions.
  virtual llvm::SmallVector<std::string> conditions(mx::ProductOpInterface op) const = 0;
  /// The entry point: its grid, tensor maps, alignments, workspaces and shared memory.
  EntryPlan entry(mx::ProductOpInterface op, const KernelSignature &signature) const;
  /// Emits what the CTAs do.
  void emit(mx::ProductOpInterface op, const KernelSignature &signature, EntryFunction &function) const;

protected:
  SharedLayout shared;

  /// Rings in the order of their memory.
  virtual llvm::SmallVector<RingShape> rings() const = 0;
  /// What load roles bring to them.
  virtual llvm::SmallVector<OperandBox> operandBoxes() const = 0;
  /// Whether operands lie where copies of pieces of 16 bytes and tensor maps can read them.
  virtual bool readsPieces() const { return true; }
  /// Whether CTAs make the order of groups of K in the workspace for it.
  virtual bool ordersInWorkspace() const { return true; }
  virtual PipelineShape pipeline() const = 0;
  /// The grid, and what only this machine's entry has.
  virtual void complete(mx::ProductOpInterface op, const KernelSignature &signature,
                        EntryPlan &entry) const = 0;
  /// What stands before the pipeline.
  virtual void emitBefore(mx::ProductOpInterface, const KernelSignature &, EntryFunction &) const {}
  /// The roles. `rings` are in the order of rings().
  virtual void emitBody(mx::ProductOpInterface op, const KernelSignature &signature, EntryFunction &function,
                        llvm::ArrayRef<mlir::Value> rings) const = 0;
};

/// The extents of a product as expressions of the launch.
struct ProductExtents {
  ShapeExpression m, n, k, batches; // batches: 1 where there are none
  ShapeExpression rowsA;            // of a matrix a: m, but where an index gathers them
  bool isBatched;
  ShapeExpression groups = {}; // of rows; empty: there are none
  int64_t groupAlignment = 1;
  ShapeExpression kGroups = {}; // of K, each with results of its own; empty: there are none
  int64_t matrices = 1;         // in one of b's batches

  ProductExtents(mx::ProductOpInterface op, const KernelSignature &signature);
  bool hasGroups() const { return !groups.empty(); }
  ShapeExpression scaleRowsA() const;
  /// The matrices of a batch: one for each group and part.
  ShapeExpression matricesOfB() const { return (hasGroups() ? groups : ShapeExpression(1)) * matrices; }
  ProductExtents ofB() const;       // whose batches are the groups of rows
  ProductExtents ofResults() const; // whose batches are the groups of K
  /// Over all batches; for groups as many as there can be, whatever their rows are.
  ShapeExpression tiles(int tileM, int tileN) const;
};

/// Bytes of an element of c, by which boxes of results are as wide as they are.
int bytesOfResult(mx::ProductOpInterface op);

} // namespace mxc
