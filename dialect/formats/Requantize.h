// From one block format to another with larger blocks, without a rounding where there is none to be had.
#pragma once

#include "dialect/formats/BlockFormat.h"
#include "dialect/formats/ScaleLayout.h"

namespace mxc {

/// Whether there is a rule from one to the other: from blocks of one row with scales that are powers of two
/// to blocks of one row that are several of them, with scales that can be any power of two; of one element
/// format of 8 bits.
bool requantizes(BlockFormat from, BlockFormat to);

/// A matrix's codes, one a byte, and their scales.
struct BlockMatrix {
  BlockFormat format;
  ScaleLayout layout;
  std::span<const uint8_t> codes, scales;
};

/// What could not be kept.
struct RequantizeLoss {
  int64_t elements = 0;   // whose value changed
  float largestError = 0; // |new - old| / |old| of these
};

/// Codes and scales of `source`, [rows, columns], in the format `to`, by docs/semantics.md ("Requantize").
/// `scales` has scaleCount(layout, rows, blocks of a row) scales, padding included.
RequantizeLoss requantizeRows(const BlockMatrix &source, int64_t rows, int64_t columns, BlockFormat to,
                              ScaleLayout layout, std::span<uint8_t> codes, std::span<uint8_t> scales);

} // namespace mxc
