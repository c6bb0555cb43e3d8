// Kernel level: the operations that users write, and what their verifiers and lowerings share.
#pragma once

#include "dialect/attributes/MxAttributes.h"

namespace mxc::mx {
/// One result of mx.quantize: codes and their scales.
struct QuantizedCopy {
  mlir::Value data, scales;
  Axis axis;         // along which its blocks lie: rows or columns
  bool isTransposed; // [K, M]
};

inline constexpr int64_t kResultBlock = 32; // of results that are quantized: elements of a block

/// One result of a product: a matrix, or what is quantized of it.
struct ProductResult {
  mlir::Value matrix; // null: it is quantized
  QuantizedCopy copy = {};
  bool isMatrix() const { return bool(matrix); }
};

/// The rule that clauses say for scales of a format, with defaults filled in and the preset resolved.
QuantizeRule quantizeRule(std::optional<RoundingMode> rounding, std::optional<SpecialMode> special,
                          std::optional<TinyMode> tiny, std::optional<mlir::StringRef> compat,
                          ScaleFormat scale = ScaleFormat::UE8M0);
} // namespace mxc::mx

#define GET_OP_CLASSES
#include "dialect/MxKernelOps.h.inc"

namespace mxc::mx {

inline constexpr int64_t kMaxRank = 5; // of a kernel's arguments: what a tensor map can take

/// The layout of a scale memref; nullopt where it has strides or a foreign layout.
std::optional<ScaleLayout> scaleLayoutOf(mlir::MemRefType type);

/// The block format that the types of data and of its scales say, and the clause `block`: [rows, columns], or
/// null.
std::optional<BlockFormat> blockFormatOf(mlir::Type data, mlir::Type scales,
                                         mlir::DenseI64ArrayAttr block = {});
/// A constraint that a tile of a product breaks.
struct TileRefusal {
  llvm::StringRef constraint; // "M9"
  llvm::StringRef rule;       // "reduction = sequential adds in the order of K"
  llvm::StringRef why;        // after the tile's name: "has several slices"
};
/// The constraint that keeps `tile`, of a kind that the operation takes, from being one of its tiles on any
/// chip; nullopt: none does. What a chip has against it: compiler/lowering/product/AdmissibleTile.h.
std::optional<TileRefusal> tileRefusal(ProductOpInterface op, mlir::Attribute tile);
/// Checks the tiles, which are of kinds that the operation takes: M9, M11, M12, GM3 and GM4.
mlir::LogicalResult verifyProductTiles(ProductOpInterface op);
/// The results of a product, one for each value that its region yields.
llvm::SmallVector<ProductResult> productResults(ProductOpInterface op);
/// A copy's codes and scales as operands of their shapes.
void addCopyOperands(llvm::SmallVectorImpl<KernelOperand> &operands, const QuantizedCopy &copy,
                     mlir::AffineMap codes, mlir::AffineMap scales);
/// Those that are quantized, and those that are not.
llvm::SmallVector<QuantizedCopy> quantizedResults(ProductOpInterface op);
llvm::SmallVector<mlir::Value> matrixResults(ProductOpInterface op);
/// What the ABI records of results where some are quantized: their roles, in order, and the rule.
void addResultAttributes(ProductOpInterface op, AbiAttributes &attributes);
/// Checks the results: M4, M7 and M11.
mlir::LogicalResult verifyProductResults(ProductOpInterface op);
/// Checks what all products have in common: M1 to M9, M11 and M12. For mx.grouped_matmul the group takes the
/// place of b's batch.
mlir::LogicalResult verifyProduct(ProductOpInterface op);
mlir::LogicalResult verifyProductEpilogue(ProductOpInterface op); // the region: M6

/// The clause, and as the ABI records it: "1x64".
BlockShape shapeOf(mlir::DenseI64ArrayAttr block);
std::string textOfBlock(mlir::DenseI64ArrayAttr block);

/// Whether a matrix of results, or an input of `with`, may have it: bf16, f16 or f32.
bool isResultElement(mlir::Type element);
/// Whether two extents may be one: they are equal, or one is dynamic.
bool agree(int64_t a, int64_t b);
/// Checks "both types have one shape" (dynamic extents agree with anything), as a constraint of `op`.
mlir::LogicalResult verifySameShape(mlir::Operation *op, mlir::StringRef constraint, mlir::MemRefType a,
                                    mlir::StringRef aName, mlir::MemRefType b, mlir::StringRef bName);

/// Checks that element types, and the clause `block`, make a block format.
mlir::LogicalResult verifyBlockFormat(mlir::Operation *op, mlir::StringRef constraint, mlir::MemRefType data,
                                      mlir::MemRefType scales, mlir::DenseI64ArrayAttr block);

/// Checks that the layout of `scales` is for scales of their width.
mlir::LogicalResult verifyScaleLayout(mlir::Operation *op, mlir::StringRef constraint,
                                      mlir::MemRefType scales);

/// Checks that `scales` is [ceil(rows/block rows), ceil(columns/block columns)] of `data`'s shape, without
/// strides.
mlir::LogicalResult verifyScalesShape(mlir::Operation *op, mlir::StringRef constraint, mlir::MemRefType data,
                                      const BlockFormatInfo &format, mlir::MemRefType scales);

/// Checks that the clause `compat` names a preset for scales of that format, and that no other clause says
/// its rule.
mlir::LogicalResult verifyPreset(mlir::Operation *op, mlir::StringRef compat, bool hasOthers,
                                 ScaleFormat scale, mlir::StringRef constraint);
/// That scales of the format have the rule's words.
mlir::LogicalResult verifyRule(mlir::Operation *op, const QuantizeRule &rule, ScaleFormat scale,
                               mlir::StringRef constraint);

/// Checks that a scale of the whole tensor, memref<1xf32> or null, is there just where `format` has one.
/// `count`: of so many copies.
mlir::LogicalResult verifyTensorScale(mlir::Operation *op, mlir::StringRef constraint,
                                      const BlockFormatInfo &format, mlir::Value tensorScale,
                                      int64_t count = 1);
/// It as an operand, of the data `partner`.
KernelOperand tensorScaleOperand(mlir::Value tensorScale, mlir::Value partner, int64_t count = 1);
/// What it is, where it is not the scale itself.
void addTensorSense(AbiAttributes &attributes, TensorSense sense);

/// What a conversion could not keep, memref<1xi64> and memref<1xf32> or null: outputs that are read, as it is
/// added to what they held.
void addLossOperands(llvm::SmallVectorImpl<KernelOperand> &operands, unsigned dimensions, mlir::Value inexact,
                     mlir::Value error = {});
mlir::LogicalResult verifyLoss(mlir::Operation *op, mlir::StringRef constraint, mlir::Value inexact,
                               mlir::Value error = {});

/// The shape that a matrix and those of the same shape say together: what any one of them says binds the
/// others. `dataName`: of what `data` is the shape, for people.
mlir::FailureOr<mlir::MemRefType> joinShapes(mlir::Operation *op, mlir::StringRef constraint, mlir::Type data,
                                             mlir::StringRef name, mlir::TypeRange others,
                                             mlir::StringRef dataName = "the data");

/// Checks that a region, called `name`, ends in mx.yield of `results` values. It is for verify(): before MLIR
/// looks for a terminator.
mlir::LogicalResult verifyYield(mlir::Operation *op, mlir::Block &block, mlir::StringRef name,
                                unsigned results, mlir::StringRef constraint);

/// Checks a region of f32 scalars, called `name`, whose end is right: it takes `arguments` of them ("takes"
/// says which) and holds scalar arith and math operations.
mlir::LogicalResult verifyScalarRegion(mlir::Operation *op, mlir::Block &block, mlir::StringRef name,
                                       mlir::StringRef takes, unsigned arguments, mlir::StringRef constraint);

} // namespace mxc::mx
