// mxc layout: where the scale of (row, block) lies, and the inverse, with the numbers put in.
#include "compiler/reference/ScalePlace.h"
#include "dialect/formats/BlockScale.h"
#include "dialect/formats/Error.h"
#include "dialect/formats/RowGroups.h"
#include "tools/mxc/Commands.h"
#include "tools/mxc/MatrixShape.h"
#include "tools/mxc/OutputFile.h"

#include <stdexcept>

namespace mxc {

namespace {

std::string n(int64_t number) { return std::to_string(number); }
const int64_t kBlockColumns = info(BlockFormat::MXFP8_E4M3).blockColumns; // that of every MX format
int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }

Error usage(const std::string &message) { return Error(ErrorKind::Usage, message); }

/// The scales of one matrix.
class Explanation {
public:
  /// With `ends` the rows lie in groups.
  Explanation(MatrixShape shape, const std::vector<int32_t> &ends, int64_t align)
      : shape_(shape), align_(align), groups_(rowGroups(ends, shape.rows, align)),
        rows_(ends.empty() ? shape.rows : scaleRowsOf(shape.rows, int64_t(ends.size()), align)),
        blocks_(ceilDiv(shape.columns, kBlockColumns)),
        denseBytes_(scaleBytes(ScaleLayout::Dense, rows_, blocks_)),
        tiledBytes_(scaleBytes(ScaleLayout::Tcgen05, rows_, blocks_)) {}

  std::string place(int64_t dataRow, int64_t block) const {
    if (dataRow < 0 || dataRow >= shape_.rows || block < 0 || block >= blocks_)
      throw Error(ErrorKind::InvalidInput, "row " + n(dataRow) + ", block " + n(block) + " lies outside of " +
                                               matrix() + ": rows are 0 to " + n(shape_.rows - 1) +
                                               ", blocks 0 to " + n(blocks_ - 1));
    const int64_t row = scaleRowOf(dataRow);
    int64_t tilesInRow = ceilDiv(blocks_, 4), tile = row / 128 * tilesInRow + block / 4;
    int64_t inTile = row % 32 * 16 + row % 128 / 32 * 4 + block % 4;
    return head() + "\nrow " + n(dataRow) + ", block " + n(block) + " (" + columnsOf(block) + ")\n" +
           groupText(dataRow) + "\n" + denseHead() + "  offset = row * blocks + block = " + n(row) + " * " +
           n(blocks_) + " + " + n(block) + " = " + n(scaleOffset(ScaleLayout::Dense, row, block, blocks_)) +
           "\n\n" + tiledHead() + "  tile   = (row / 128) * ceil(blocks / 4) + block / 4 = " + n(row / 128) +
           " * " + n(tilesInRow) + " + " + n(block / 4) + " = " + n(tile) +
           "\n  inside = (row % 32) * 16 + (row % 128 / 32) * 4 + block % 4 = " + n(row % 32) + " * 16 + " +
           n(row % 128 / 32) + " * 4 + " + n(block % 4) + " = " + n(inTile) +
           "\n  offset = tile * 512 + inside = " + n(tile) + " * 512 + " + n(inTile) + " = " +
           n(scaleOffset(ScaleLayout::Tcgen05, row, block, blocks_)) + "\n";
  }

  std::string inverse(int64_t offset) const {
    if (offset < 0 || (offset >= denseBytes_ && offset >= tiledBytes_))
      throw Error(ErrorKind::InvalidInput, "offset " + n(offset) + " lies outside of the scales of " +
                                               matrix() + ": " + n(denseBytes_) + " bytes dense, " +
                                               n(tiledBytes_) + " bytes tcgen05");
    return head() + "\nbyte " + n(offset) + "\n\n" + denseHead() + "  " + owner(ScaleLayout::Dense, offset) +
           "\n\n" + tiledHead() + "  tile " + n(offset / 512) + ", byte " + n(offset % 512) +
           " in it: " + owner(ScaleLayout::Tcgen05, offset) + "\n";
  }

private:
  /// The group of a row, or the end of the list.
  size_t groupOf(int64_t dataRow) const {
    size_t g = 0;
    while (g < groups_.size() && (dataRow < groups_[g].begin || dataRow >= groups_[g].end))
      ++g;
    return g;
  }
  int64_t scaleRowOf(int64_t dataRow) const {
    if (groups_.empty()) return dataRow;
    const size_t g = groupOf(dataRow);
    if (g == groups_.size())
      throw Error(ErrorKind::InvalidInput, "row " + n(dataRow) + " lies in no group: it is padding");
    return groups_[g].scaleRow + dataRow - groups_[g].begin;
  }
  std::string groupText(int64_t dataRow) const {
    if (groups_.empty()) return {};
    const size_t g = groupOf(dataRow);
    const RowGroup &group = groups_[g];
    const int64_t inside = dataRow - group.begin, tile = group.scaleRow / 128, row = group.scaleRow + inside;
    return "\ngroup " + n(int64_t(g)) + ": rows " + n(group.begin) + " to " + n(group.end - 1) + ", align " +
           n(align_) + "\n  tile row  = begin / 128" + (align_ == 1 ? " + group" : "") + " = " +
           n(group.begin) + " / 128" + (align_ == 1 ? " + " + n(int64_t(g)) : "") + " = " + n(tile) +
           "\n  scale row = tile row * 128 + row - begin = " + n(tile * 128) + " + " + n(inside) + " = " +
           n(row) + "\n  along columns: block = scale row / 32 = " + n(row / 32) + " of " +
           n(ceilDiv(rows_, 32)) + "\n";
  }

  std::string matrix() const { return n(shape_.rows) + " x " + n(shape_.columns); }
  std::string head() const {
    return "matrix " + matrix() + ": scales of " + n(rows_) + " rows x " + n(blocks_) +
           " blocks of 32 elements";
  }
  std::string denseHead() const { return "dense: row-major, " + n(denseBytes_) + " bytes\n"; }
  std::string tiledHead() const {
    return "tcgen05: " + n(ceilDiv(rows_, 128)) + " x " + n(ceilDiv(blocks_, 4)) +
           " tiles of 128 rows x 4 blocks, " + n(tiledBytes_) + " bytes\n";
  }
  std::string columnsOf(int64_t block) const {
    int64_t end = std::min((block + 1) * kBlockColumns, shape_.columns);
    return "columns " + n(block * kBlockColumns) + " to " + n(end - 1);
  }
  std::string owner(ScaleLayout layout, int64_t offset) const {
    if (offset >= (layout == ScaleLayout::Dense ? denseBytes_ : tiledBytes_)) return "behind the last scale";
    ScalePlace place = scalePlace(layout, offset, rows_, blocks_);
    if (!groups_.empty()) return groupedOwner(layout, place);
    std::string text = "row " + n(place.row) + ", block " + n(place.block);
    return place.isPadding ? "padding (" + text + " is outside of the matrix), always 0x00"
                           : text + " (" + columnsOf(place.block) + ")";
  }

  std::string groupedOwner(ScaleLayout layout, ScalePlace place) const {
    for (size_t g = 0; g < groups_.size(); ++g) {
      const RowGroup &group = groups_[g];
      if (place.row < group.scaleRow || place.row >= group.scaleRowsEnd()) continue;
      const int64_t inside = place.row - group.scaleRow;
      if (inside >= group.rows() && layout == ScaleLayout::Dense)
        return "behind the rows of group " + n(int64_t(g)) + ": not written";
      if (inside >= group.rows() || place.block >= blocks_)
        return "padding of group " + n(int64_t(g)) + "'s last tile, always 0x00";
      return "row " + n(group.begin + inside) + " (row " + n(inside) + " of group " + n(int64_t(g)) +
             "), block " + n(place.block) + " (" + columnsOf(place.block) + ")";
    }
    return "of no group: not written";
  }

  MatrixShape shape_;
  int64_t align_;
  std::vector<RowGroup> groups_;
  int64_t rows_, blocks_, denseBytes_, tiledBytes_;
};

} // namespace

void explainLayout(const LayoutCommand &command) {
  bool isPlace = command.row || command.block;
  if (command.draw + isPlace + command.offset.has_value() != 1)
    throw usage("mxc layout: expected one of --row R --block B, --offset N, --draw, --convert FROM:TO; see "
                "mxc layout --help");
  std::string text;
  if (command.draw) {
    text = "A tcgen05 tile: 128 rows x 4 blocks, 512 bytes; a line is 16 bytes, a cell is row,block\n\n" +
           drawScaleTile();
  } else {
    if (command.shape.empty()) throw usage("mxc layout: --shape ROWSxK says how large the matrix is");
    if (isPlace && !(command.row && command.block))
      throw usage("mxc layout: --row and --block belong together");
    try {
      Explanation explanation(parseMatrixShape(command.shape), command.ends, command.align);
      text = isPlace ? explanation.place(*command.row, *command.block) : explanation.inverse(*command.offset);
    } catch (const std::overflow_error &error) {
      throw Error(ErrorKind::InvalidInput, error.what());
    }
  }
  writeOutput("-", text);
}

} // namespace mxc
