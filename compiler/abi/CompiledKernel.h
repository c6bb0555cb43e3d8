// What the compiler hands over to whoever launches: the ABI of a module's kernels. Plain C++, no LLVM, no
// driver.
//
// The ABI travels inside every image as the constant symbol `__mxc_abi`: a record of 16-byte-aligned magic
// "MXC-ABI\0" and version "00000003", the payload's length (8 bytes, little endian), its CRC-32 (8 bytes),
// then JSON. abiFromImage finds it in a cubin, a fatbin or PTX text without a driver.
//
// tests/unit/abi/MatmulSample.h builds the ABI of a matrix product: batches, scales known by their operand, a
// scalar, a workspace, tensor maps of ranks 2 to 5, a persistent grid of clusters.
#pragma once

#include "compiler/abi/ShapeExpression.h"
#include "compiler/abi/TensorMapRecipe.h"
#include "dialect/formats/ScaleLayout.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mxc {

/// What expressions may name beside a kernel's dimensions:
///   shapes, strides                        nothing more
///   grids, conditions, workspaces' sizes   facts of the device: kDeviceFacts
///   tensor maps                            those, and stride0 .. stride4 (TensorMapRecipe)
/// None of these, min, max or ceildiv is a dimension's name. A launch never reads device memory.
/// SMs: multiprocessors. GBs: 10^9 bytes a second between them and the memory, at its clock and width.
inline constexpr std::string_view kDeviceFacts[] = {"SMs", "GBs"};

/// Row-major, or scales in one of the layouts of dialect/formats/ScaleLayout.h.
enum class ArgumentLayout : uint8_t {
  RowMajor,
#define MXC_SCALE_LAYOUT(Name, ...) Scale##Name,
#include "dialect/formats/ScaleLayouts.def"
};
constexpr ArgumentLayout argumentLayoutOf(ScaleLayout layout) { return ArgumentLayout(int(layout) + 1); }
constexpr std::optional<ScaleLayout> scaleLayoutOf(ArgumentLayout layout) {
  if (layout == ArgumentLayout::RowMajor) return std::nullopt;
  return ScaleLayout(int(layout) - 1);
}
static_assert(argumentLayoutOf(ScaleLayout::Tcgen05) == ArgumentLayout::ScaleTcgen05);

/// Tensor: in device memory, its address a parameter. Scalar: f32, i32 or i64, its value a parameter (in
/// device memory it is a tensor of rank 0). Workspace: bytes that the runtime provides where the caller does
/// not.
enum class ArgumentKind : uint8_t { Tensor, Scalar, Workspace };

/// What an argument is to the operation. An argument is known by its role, by the argument it belongs to
/// (`of`) and, where several have one role, by its number among them; never by its name, type or place.
enum class ArgumentRole : uint8_t {
  Data,        // values: an operation's inputs, or its results
  Codes,       // quantized elements; their blocks lie along rows
  ColumnCodes, // the same values quantized with blocks along columns
  Scales,      // of the codes `of`; of no argument where an operation copies scales
  Left,        // codes [.., M, K] of a product
  Right,       // codes [.., N, K] of a product
  Product,     // an output [.., M, N]: sums over K of left times right, added in an order that a tile chooses
               // (P2)
  Index,       // i32 [rows]: which row of `of` each row is, -1 for a row of zeros; or i32 [rows, k]: which k
               // rows of `of` belong to each
  Ends,        // i32 [groups], on the device: where each group of rows of `of` ends
  Amax,        // f32 [1]: the largest magnitude
  ColumnSum,   // f32 [columns]: the sums of columns
  TensorScale, // f32 [1]: the scale of all of the codes `of`, above their blocks'
  Alpha,       // f32 [1]: what a product's sums are multiplied by
  Inexact,     // i64 [1]: how many scales or elements were not kept, added to what it held
  Error,       // f32 [1]: the largest relative error of these, or what it held
  RowValues,   // f32 [rows]: one for each row of the codes `of`, or of the rows that `of` names
  Random       // i64 [2]: the seed and the offset of the random bits by which codes are rounded
};
enum class WorkspaceZeroing : uint8_t {
  No,
  Once, // before the first launch: the kernel leaves zeros behind
  EachLaunch
};

/// The stride of one dimension, in elements.
struct AbiStride {
  enum class Kind : uint8_t {
    Contiguous, // what the dimensions after it take; 1 for the last one
    Free,       // given at launch; at least that
    Fixed       // value
  } kind = Kind::Contiguous;
  ShapeExpression value = {};
  static AbiStride free() { return {Kind::Free, {}}; }
  static AbiStride fixed(ShapeExpression value) { return {Kind::Fixed, std::move(value)}; }
  bool operator==(const AbiStride &) const = default;
};

/// An argument as the user wrote it in mx.kernel.
struct AbiArgument {
  std::string name; // "x"
  std::string type; // "bf16" "f16" "f32" "i32" "i64" "e4m3" "e5m2" ... "ue8m0" "ue4m3"; of a workspace "u8"
  bool isOutput = false;
  ArgumentLayout layout = ArgumentLayout::RowMajor;
  // A tensor's: up to 5 dimensions, outermost first; scales: .. rows, blocks.
  std::vector<ShapeExpression> shape = {};
  std::vector<AbiStride> strides = {}; // a tensor's, one a dimension; none = contiguous
  int64_t alignment = 1; // bytes that every variant needs the base to be a multiple of; a power of two

  ArgumentKind kind = ArgumentKind::Tensor;
  bool isRead = false; // an output that is an input as well: dW += ..
  // An input that is read before the launch waits for earlier grids: none that may still run writes it.
  bool isConstant = false;
  ArgumentRole role = ArgumentRole::Data;
  std::string of = {};   // the argument that this belongs to: its codes, its rows; "" = to none
  uint32_t number = 0;   // among the inputs, or the outputs, of one role and `of`, in the operation's order
  int64_t groupRows = 0; // of ends: groups begin at multiples of so many rows
  uint32_t groupDimension = 0; // of ends: the dimension of `of` that is cut
  ShapeExpression bytes = {};  // a workspace's
  WorkspaceZeroing zeroing = WorkspaceZeroing::No;

  bool isTensor() const { return kind == ArgumentKind::Tensor; }
  std::string_view accessName() const; // "in" "out" "inout" "constant"
  bool isInput() const { return isTensor() && (!isOutput || isRead); }
  size_t rank() const { return shape.size(); }
  /// The rank of a tensor as it lies in memory.
  size_t storageRank() const {
    const std::optional<ScaleLayout> scales = scaleLayoutOf(layout);
    return scales ? mxc::storageRank(*scales, rank()) : rank();
  }
  const AbiStride &stride(size_t dimension) const {
    static const AbiStride contiguous;
    return strides.empty() ? contiguous : strides[dimension];
  }
  /// The dimension whose elements are neighbours: the last one, or one whose stride is fixed at 1.
  size_t innermost() const;
};

/// "M x ceildiv(K, 32)", for messages; "" of rank 0.
std::string shapeText(std::span<const ShapeExpression> shape);

/// One kernel parameter, in order. A variant lists those that its entry takes.
struct AbiParameter {
  enum class Kind : uint8_t {
    Pointer,   // a tensor's or workspace's address, 8 bytes
    Stride,    // of a tensor's `dimension`, in elements, 8 bytes
    Dimension, // 8 bytes
    Scalar,    // of its type's size
    TensorMap  // 128 bytes, at a multiple of 64
  } kind;
  std::string name;               // the argument's, or the dimension's ("M")
  TensorMapRecipe tensorMap = {}; // kind == TensorMap
  uint32_t dimension = 0;         // kind == Stride
};

/// What one variant asks of an argument: the base address and every stride, but the innermost dimension's and
/// those of dimensions of size 1, are multiples of `bytes`.
struct AbiAlignment {
  std::string argument;
  int64_t bytes;
};

/// A part of a variant's dynamic shared memory (bytes) or tensor memory (columns), for people and tools:
/// nothing is launched by it. The stages of a ring lie `pitch` apart; they overlap where that is less than a
/// stage. A ring's mbarriers are a region of their own, "NAME barriers": the full ones of all stages, then,
/// if it has any, the empty ones.
struct AbiRegion {
  std::string name;
  uint32_t offset = 0, size = 0, stages = 1, pitch = 0;
  uint32_t stageSize() const { return size - (stages - 1) * pitch; }
  bool operator==(const AbiRegion &) const = default;
};

/// What some warps of a CTA do, for people and tools.
struct AbiRole {
  std::string name; // "load"
  uint32_t firstWarp = 0, warps = 1;
  bool operator==(const AbiRole &) const = default;
};

/// One launch of an entry point.
struct AbiLaunch {
  std::string entry;       // symbol in the image
  ShapeExpression grid[3]; // CTAs; nothing = 1
  uint32_t block[3] = {1, 1, 1}, cluster[3] = {1, 1, 1};
  uint32_t sharedBytes = 0; // dynamic
  std::vector<AbiParameter> parameters;
  uint32_t tensorColumns = 0; // that a CTA allocates of tensor memory
  std::vector<AbiRegion> sharedRegions = {}, tensorRegions = {};
  std::vector<AbiRole> roles = {}; // none: all warps do the same
};

/// One way to execute the kernel: its first launch, and those that follow it in the order of the stream. The
/// first variant whose `when` and alignments hold is launched; the last one takes all. A launch that follows
/// may start before the one in front of it has ended (programmatic dependent launch): its entry waits before
/// it touches memory.
struct AbiVariant : AbiLaunch {
  std::string tile;     // the printed tile attribute, for people
  ShapeExpression when; // nothing = always
  std::vector<AbiAlignment> alignments;
  std::vector<AbiLaunch> following = {};

  /// body(launch) for all launches, in order.
  void forEachLaunch(auto body) const {
    body(static_cast<const AbiLaunch &>(*this));
    for (const AbiLaunch &launch : following)
      body(launch);
  }
};

/// What the kernel computes, for --verify and inspect.
struct AbiOperation {
  std::string name;                              // "quantize" "dequantize" "pack_scales" "unpack_scales"
  std::map<std::string, std::string> attributes; // "rounding": "ceil", ...
  bool hasPrologue = false;
};

/// What a kernel must do at least, whichever tile does it.
struct AbiWork {
  ShapeExpression bytesRead, bytesWritten; // of global memory: the elements of every input and output once
  std::string kind;             // of the multiply-adds: the elements that are multiplied, "e4m3 x e5m2"
  ShapeExpression multiplyAdds; // nothing = none
};

struct KernelAbi {
  std::string name;
  AbiOperation operation;
  AbiWork work;
  std::vector<AbiArgument> arguments;
  std::vector<std::string> dimensions; // dynamic ones, in parameter order: "M", "K"
  std::vector<AbiVariant> variants;

  /// The argument of that role, among those that belong to `of` where it is not empty; of several the first
  /// in the operation's order. Null: there is none.
  const AbiArgument *argumentOf(ArgumentRole role, std::string_view of = {}) const;
  /// The inputs, or the outputs, of that role in the operation's order.
  std::vector<const AbiArgument *> argumentsOf(ArgumentRole role, bool areOutputs) const;
};

/// The record of one image.
struct ModuleAbi {
  static constexpr int kVersion = 3;
  std::string compilerVersion;
  int numericsVersion = 0;
  std::string target; // "sm_90a"
  std::vector<KernelAbi> kernels;
};

/// The bytes of symbol `__mxc_abi` (header and JSON).
std::string abiRecord(const ModuleAbi &abi);

/// Reads a record's JSON. Throws mxc::Error (InvalidInput) naming the member that is missing, ill-typed or
/// out of range, what was expected and what was found. What it accepts planLaunch can launch: a block has up
/// to 1024 threads, a cluster up to 16 CTAs; expressions parse and name what they may; parameters, alignments
/// and tensor maps name what is there and fit its kind. At most 64 dimensions, 64 arguments, 256 variants a
/// kernel.
ModuleAbi abiFromJson(std::string_view json);
std::string abiToJson(const ModuleAbi &abi, int indent = -1);

/// Finds the records in a cubin, an uncompressed fatbin (one a target) or PTX text, in this order of kinds
/// and then of position. Damaged records are skipped; none found: empty. Any bytes are safe to pass.
std::vector<ModuleAbi> abiFromImage(std::span<const char> image);

/// "it carries version 1 of the ABI .., compile the kernel again with this mxc"
std::string versionMismatch(const std::string &found);

/// Why abiFromImage finds nothing, as the end of a sentence: no record, a damaged one, or one of another
/// version, and what to do.
std::string whyNoRecord(std::span<const char> image);

} // namespace mxc
