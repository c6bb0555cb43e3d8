// From one block format to another, without a rounding where there is none to be had.
#pragma once

#include "dialect/formats/BlockScale.h"
#include "dialect/formats/ScaleLayout.h"

namespace mxc {

/// Whether there is a rule from one to the other, of one element format: from blocks of one row with scales
/// that are powers of two to blocks of one row that are several of them, with scales that can be any power of
/// two, of 8 bits; or to parts of them with scales of two levels.
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

/// Codes and scales of `source`, [rows, columns], in the format `to`, by docs/semantics/quantize.md
/// ("Requantize"). `scales` has scaleCount(layout, rows, blocks of a row) scales, padding included.
/// `tensorScale`: of a format that has one.
RequantizeLoss requantizeRows(const BlockMatrix &source, int64_t rows, int64_t columns, BlockFormat to,
                              ScaleLayout layout, std::span<uint8_t> codes, std::span<uint8_t> scales,
                              float tensorScale = 1);

} // namespace mxc
