// Rows in groups, whose ends lie on the device: which rows a group has, and where its scales lie.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mxc {

/// Group g has the rows from roundup(ends[g-1], align) to ends[g]; none where that is not ahead.
///   align 128   scales of row r are row r of a plain scale matrix
///   align 1     every group begins at a tile of 128 scale rows of its own: begin / 128 + g
struct RowGroup {
  int64_t begin = 0, end = 0;
  int64_t scaleRow = 0; // of row `begin`: a multiple of 128
  int64_t rows() const { return end > begin ? end - begin : 0; }
  /// Past the group's last tile of scale rows.
  int64_t scaleRowsEnd() const { return scaleRow + (rows() + 127) / 128 * 128; }
};

/// "" or which end falls below the one before it, lies in the padding after it, or beyond `rows`.
std::string faultOfEnds(std::span<const int32_t> ends, int64_t rows, int64_t align);

/// Throws mxc::Error (InvalidInput) with faultOfEnds: "groups of rows: ends[1] = 3 falls below ends[0] = 5:
/// ..".
std::vector<RowGroup> rowGroups(std::span<const int32_t> ends, int64_t rows, int64_t align);

/// "" or which entry names no row of a matrix of `rows` rows, and is not -1, which stands for a row of zeros.
/// Looked at are the entries of the groups' rows.
std::string faultOfIndex(std::span<const int32_t> index, int64_t rows, std::span<const RowGroup> groups);

/// Rows of the scale matrix of `rows` rows: with align 1, 128 * (ceil(rows / 128) + groups - 1), and
/// none where there are neither rows nor groups.
int64_t scaleRowsOf(int64_t rows, int64_t groups, int64_t align);

} // namespace mxc
