// Rows in groups, and gathered ones, on the host: a matrix of the values in which every group begins at a
// multiple of 128 rows, so that quantizing it as a whole gives the codes and the scales of all of them.
#pragma once

#include "compiler/reference/CopyShape.h"
#include "compiler/reference/OperationReference.h"
#include "dialect/formats/RowGroups.h"

namespace mxc {

/// The groups of `rows` rows that the run's ends cut. Throws as rowGroups.
std::vector<RowGroup> groupsOf(const ReferenceRun &run, int64_t rows);

class GroupedReference {
public:
  /// Reads `ends` and `gather`, where the kernel has them, for data of `rows` rows. Throws mxc::Error
  /// (InvalidInput) naming the entry that breaks its contract. For values that are not gathered any more, a
  /// product's, the index says nothing.
  GroupedReference(const ReferenceRun &run, int64_t rows, bool areGathered = true);

  bool isPlain() const { return !hasGroups_ && !isGathered_; }
  bool hasGroups() const { return hasGroups_; }
  int64_t valueRows() const { return valueRows_; }
  const std::vector<int64_t> &placeOfRow() const { return placeOfRow_; } // see CopyShape
  const std::vector<int64_t> &rowOfPlace() const { return rowOfPlace_; } // of the values' rows; -1: of none
  bool isRowOf(int64_t valueRow) const { return rowOfPlace_[size_t(valueRow)] >= 0; }

  /// The values' rows from those of the inputs: where no row belongs, zeros.
  std::vector<float> place(std::span<const float> inputs, int64_t columns) const;
  /// A value for each row of the data, in all columns of the values' row.
  std::vector<float> spread(std::span<const float> ofRows, int64_t columns) const;
  /// Zeros where no row belongs.
  void clearPadding(std::span<float> values, int64_t columns) const;

  /// Which bytes a copy's kernel leaves as they were, `data` and `scales` being what the values give.
  void leave(ReferenceRun &run, const AbiArgument &data, const AbiArgument &scales, const CopyShape &shape,
             BlockFormat blockFormat) const;

private:
  int64_t sourceOf(int64_t place) const; // the inputs' row; -1: there is none
  bool hasTile(int64_t valueRow) const { return tiles_[size_t(valueRow / kScaleTileRows)]; }

  bool hasGroups_ = false, isGathered_ = false;
  int64_t valueRows_;
  std::vector<int32_t> index_;      // a row of the inputs for each row; empty: the same
  std::vector<int64_t> placeOfRow_; // of the data
  std::vector<int64_t> rowOfPlace_; // the inverse: -1 past a group's end
  std::vector<uint8_t> tiles_;      // of 128 of the values' rows: whether some are a group's
};

} // namespace mxc
