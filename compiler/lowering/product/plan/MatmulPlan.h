// What one tile of a block-scaled product takes of the chip: rings, warps, memories. No IR.
#pragma once

#include "compiler/lowering/pipeline/RingShape.h"
#include "compiler/targets/Target.h"
#include "dialect/MxOps.h"

namespace mxc {

inline constexpr int kStepK =
    128; // elements of K that one scale tile has; a stage of codes, one row of the 128B swizzle
inline constexpr int kBlockColumns = kStepK / kScaleTileBlocks; // that share a scale: a word of them a step
inline constexpr int kStepKBf16 = 64;                           // a stage of bf16, likewise
inline constexpr int kMmaK = 32;                                // of one instruction
inline constexpr int kCtaRows = 128;                            // of c, a CTA: the lanes of tensor memory
inline constexpr int kBoxRowBytes = 128;                        // of a result box
inline constexpr int kStoreWarps = 4; // of tcgen05's tiles: a quarter of the lanes each

// Parts of a stage of the operands' ring.
enum OperandPart : int { kPartA, kPartB, kPartScalesA, kPartScalesB };

struct MatmulPlan {
  mx::MatmulTileAttr tile;
  bool onWarpgroups = false; // wgmma on bf16 copies of the operands; else tcgen05 on their codes
  int elementBytes = 2;      // of c
  RingShape operands, accumulators;
  RingShape queue;       // of tiles taken over; no stages: none
  int tensorColumns = 0; // to allocate
  int64_t stagingBytes = 0;
  SharedLayout shared;

  // Warps of tcgen05: 0 to 3 store (a warp reads the quarter of the lanes that its number gives), 4
  // multiplies, the rest load. Of warpgroups: 0 to 7 multiply and store, 8 loads, the rest dequantize.
  int loadWarps = 1;
  int scheduleWarp() const { return 5 + loadWarps; } // where tiles are taken over
  int warps() const { return onWarpgroups ? 12 : 5 + loadWarps + (takesOver() ? 1 : 0); }
  int storeWarps() const { return onWarpgroups ? 8 : kStoreWarps; }
  int storeRows() const { return onWarpgroups ? 16 : 32; } // of a warp's box
  int stepK() const { return onWarpgroups ? kStepKBf16 : kStepK; }

  int ctas() const { return tile.getCtas(); }
  int columnsB() const { return tile.getN() / ctas(); } // rows of b in this CTA
  int scaleTilesB() const {
    return llvm::divideCeil(tile.getN(), kScaleTileRows);
  } // all of b's, in every CTA
  int boxColumns() const { return kBoxRowBytes / elementBytes; }
  int boxes() const { return tile.getN() / boxColumns(); }
  bool storesBoxes() const { return tile.getStore() == mx::ResultStore::Tensor; }
  bool loadsRows() const { return storesBoxes() && !onWarpgroups; } // of the epilogue's inputs, by 16 bytes
  bool takesOver() const { return tile.getScheduler() == mx::TileScheduler::Clc; }
  bool loadsBoxes() const { return tile.getLoad() == mx::OperandLoad::Tensor; }
  int buffers() const; // boxes a warp
};

/// `elementBytes`: of c.
MatmulPlan planMatmul(mx::MatmulTileAttr tile, int elementBytes, const Target &target);

/// Empty, or why the plan does not fit the chip, with the sum.
std::string refusal(const MatmulPlan &plan, const Target &target);

} // namespace mxc
