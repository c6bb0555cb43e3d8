// What the compiler knows of a chip, as data: one file a chip or family. What generates code asks for a fact
// or a feature of the target, never for its name.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace mxc {

struct TensorRates;

/// The tensor core that matrix products are written for: a generation of instructions.
enum class TensorCore : uint8_t {
  None,         // not yet
  Warpgroups,   // wgmma, accumulators in registers
  TensorMemory, // tcgen05, accumulators in tensor memory
  Warps,        // mma.sync with scales, accumulators in registers
};

/// Tiles of mx.quantize along columns and along both axes, as printed attributes in launch order, and what a
/// tuner tries; wide: where elements are f32 in registers.
struct ColumnTiles {
  std::span<const std::string_view> columns, both, wideColumns, wideBoth, candidates;
};

inline constexpr int kReservedSharedBytes = 1024; // of every CTA
/// Grouped products of two parts: where one launch that makes both and what becomes of them takes less time
/// than a product and a second launch that reads it (docs/performance/products.md).
struct JoinedParts {
  int fewRows = 0;     // up to so many rows a group, on average, are few
  bool ofFew = false;  // of few rows, where results are codes along rows alone
  bool ofMany = false; // of more
};

struct Target {
  std::string_view name;    // "sm_90a": what --target takes and the ABI records
  std::string_view product; // for people
  int computeMajor, computeMinor;
  std::string_view llvmChip;     // llc -mcpu
  std::string_view llvmFeatures; // PTX version to write
  int maxSharedBytes;            // dynamic shared memory of one CTA (opt-in)
  int maxVectorBytes;            // widest global load or store of one lane
  bool hasBulkTensor;            // cp.async.bulk.tensor and mbarrier
  TensorCore tensorCore = TensorCore::None;
  /// Shared memory of a multiprocessor, of which each CTA takes kReservedSharedBytes for itself, on chips
  /// where streaming tiles are faster when no more CTAs are resident than their bytes in flight need; 0:
  /// elsewhere.
  int residencySharedBytes = 0;
  int tensorColumns = 0;       // of tensor memory; 0: there is none
  int scaledConversionPtx = 0; // of cvt from fp8 pairs to bf16x2 with a scale
  int packedConversionPtx = 0; // the PTX version of cvt from bf16x2 to fp8 pairs, 91 is 9.1; 0: not there
  bool hasNarrowConversions = false;     // cvt between f32 or f16 and elements below 8 bits
  bool hasStochasticConversions = false; // cvt.rs to four of them

  // Tiles of quantize and dequantize, as printed attributes, in launch order: what the heuristics choose for
  // one input and for several (before the general tile that takes everything), and what a tuner tries.
  std::span<const std::string_view> quantizeTiles;
  std::span<const std::string_view> fusedQuantizeTiles;
  std::span<const std::string_view> narrowQuantizeTiles = {}; // of one 16-bit input; empty: as quantizeTiles
  std::span<const std::string_view> longBlockQuantizeTiles =
      {}; // of those, with maxima of 128 elements; empty: as those
  // Of those, to elements of 4 bits, and with a scale for the tensor above the blocks'; empty: as those.
  std::span<const std::string_view> fourBitQuantizeTiles = {}, twoLevelQuantizeTiles = {};
  std::span<const std::string_view> quantizeCandidates;
  ColumnTiles columnTiles;
  // The same of matrix products. With tensorRates, the model gives them stages and conditions.
  std::span<const std::string_view> matmulTiles = {}, matmulCandidates = {};
  // Without tensorRates also in their place: where sums are in K's order, for groups of rows, for groups of
  // K.
  std::span<const std::string_view> sequentialTiles = {}, rowGroupTiles = {}, kGroupTiles = {};
  // Also without them: of operands below 8 bits, without groups; empty: as sequentialTiles.
  std::span<const std::string_view> narrowProductTiles = {};
  // With tensorRates: of products of two parts.
  std::span<const std::string_view> partTiles = {};
  // With tensorRates: of operands of 4 bits, with instructions of 96 elements along K, which come before the
  // others; empty: the chip has none.
  std::span<const std::string_view> wideTiles = {}, wideCandidates = {};
  // Of blocks of 128 elements with f32 scales.
  std::span<const std::string_view> blockwiseTiles = {}, blockwiseCandidates = {};
  std::span<const std::string_view> blockwiseRowGroupTiles = {}, blockwiseKGroupTiles = {};
  const TensorRates *tensorRates = nullptr; // of chips with tensor memory
  JoinedParts joinedParts = {};
};

/// Whether one launch is to make both parts of a product of `rows` rows in `groups` groups.
bool joinsParts(const Target &target, int64_t rows, int64_t groups, bool areCodesAlongRows);

/// The target of that name, or null.
const Target *targetNamed(std::string_view name);
/// Throws mxc::Error (Usage) with the names that there are.
const Target &requireTarget(std::string_view name);

std::span<const Target *const> allTargets();

} // namespace mxc
