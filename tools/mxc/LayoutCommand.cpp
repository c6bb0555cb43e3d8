// mxc layout: where the scale of (row, block) lies, and the inverse, with the numbers put in.
#include "dialect/formats/BlockScale.h"
#include "dialect/formats/Error.h"
#include "dialect/formats/RowGroups.h"
#include "dialect/formats/ScaleLayout.h"
#include "tools/mxc/Commands.h"
#include "tools/mxc/OutputFile.h"
#include "tools/mxc/ShapeText.h"

#include <algorithm>
#include <stdexcept>

namespace mxc {

namespace {

std::string n(int64_t number) { return std::to_string(number); }
int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }

const BlockFormatInfo &formatNamed(const std::string &name) {
  std::string known;
  for (const BlockFormatInfo &format : blockFormats()) {
    if (format.name == name || name.empty()) return format;
    known += (known.empty() ? "" : ", ") + std::string(format.name);
  }
  throw Error(ErrorKind::Usage, "mxc layout: --format: expected one of " + known + ", found '" + name + "'");
}

Error usage(const std::string &message) { return Error(ErrorKind::Usage, message); }

/// The scales of one matrix.
class Explanation {
public:
  /// With `ends` the rows lie in groups.
  Explanation(const BlockFormatInfo &format, MatrixShape shape, const std::vector<int32_t> &ends,
              int64_t align)
      : format_(format), scale_(info(format.scale)), shape_(shape), align_(align),
        groups_(rowGroups(ends, shape.rows, align)),
        rows_(ends.empty() ? format.blocksOfRows(shape.rows)
                           : scaleRowsOf(shape.rows, int64_t(ends.size()), align)),
        blocks_(format.blocks(shape.columns)) {
    for (const ScaleLayoutInfo &layout : scaleLayouts())
      if (layout.takes(scale_.bits) && (groups_.empty() || layout.order == ScaleTileOrder::RowMajor))
        layouts_.push_back(&layout);
    for (const ScaleLayoutInfo *layout : layouts_)
      (void)bytesOf(*layout); // throws where there are too many
  }

  std::string place(int64_t dataRow, int64_t block) const {
    if (dataRow < 0 || dataRow >= shape_.rows || block < 0 || block >= blocks_)
      throw Error(ErrorKind::InvalidInput, "row " + n(dataRow) + ", block " + n(block) + " lies outside of " +
                                               matrix() + ": rows are 0 to " + n(shape_.rows - 1) +
                                               ", blocks 0 to " + n(blocks_ - 1));
    const int64_t row = scaleRowOf(dataRow / format_.blockRows);
    std::string text = head() + "\nrow " + n(dataRow) + ", block " + n(block) + " (" + columnsOf(block) +
                       ")\n" + groupText(dataRow);
    for (const ScaleLayoutInfo *layout : layouts_)
      text += "\n" + headOf(*layout) + placeIn(*layout, row, block);
    return text;
  }

  std::string inverse(int64_t byte) const {
    auto holds = [&](const ScaleLayoutInfo *layout) { return byte < bytesOf(*layout); };
    if (byte < 0 || std::none_of(layouts_.begin(), layouts_.end(), holds)) {
      std::string sizes;
      for (const ScaleLayoutInfo *layout : layouts_)
        sizes += (sizes.empty() ? "" : ", ") + n(bytesOf(*layout)) + " bytes " + std::string(layout->name);
      throw Error(ErrorKind::InvalidInput,
                  "offset " + n(byte) + " lies outside of the scales of " + matrix() + ": " + sizes);
    }
    std::string text = head() + "\nbyte " + n(byte) + "\n";
    for (const ScaleLayoutInfo *layout : layouts_) {
      text += "\n" + headOf(*layout) + "  ";
      if (layout->tileScales() > 1 && layout->order == ScaleTileOrder::RowMajor) {
        const int64_t tileBytes = layout->tileScales() * scale_.bytes();
        text += "tile " + n(byte / tileBytes) + ", byte " + n(byte % tileBytes) + " in it: ";
      }
      text += owner(*layout, byte) + "\n";
    }
    return text;
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
           n(row) + "\n  along columns: block = scale row / " + n(format_.blockColumns) + " = " +
           n(row / format_.blockColumns) + " of " + n(format_.blocks(rows_)) + "\n";
  }

  std::string matrix() const { return n(shape_.rows) + " x " + n(shape_.columns); }
  std::string head() const {
    return "matrix " + matrix() + ": scales of " + n(rows_) + " rows x " + n(blocks_) + " blocks of " +
           (format_.blockRows > 1 ? n(format_.blockRows) + " x " : "") + n(format_.blockColumns) +
           " elements";
  }
  int64_t bytesOf(const ScaleLayoutInfo &layout) const {
    return scaleCount(layout.layout, rows_, blocks_) * scale_.bytes();
  }
  std::string headOf(const ScaleLayoutInfo &layout) const {
    const std::string name(layout.name), bytes = n(bytesOf(layout)) + " bytes\n";
    if (layout.tileScales() == 1) return name + ": row-major, " + bytes;
    if (layout.order == ScaleTileOrder::MnMajor)
      return name + ": rows of " + (layout.tileBlocks == 1 ? "a block" : n(layout.tileBlocks) + " blocks") +
             " side by side, padded to a multiple of " + n(layout.tileRows) + ", " + bytes;
    if (layout.storage == ScaleStorage::Rows)
      return name + ": row-major, blocks padded to a multiple of " + n(layout.tileBlocks) + ", " + bytes;
    return name + ": " + n(ceilDiv(rows_, layout.tileRows)) + " x " + n(ceilDiv(blocks_, layout.tileBlocks)) +
           " tiles of " + n(layout.tileRows) + " rows x " + n(layout.tileBlocks) + " blocks, " + bytes;
  }
  /// The layout's formula, with the numbers put in.
  std::string placeIn(const ScaleLayoutInfo &l, int64_t row, int64_t block) const {
    const int64_t offset = scaleOffset(l.layout, row, block, rows_, blocks_);
    const std::string where =
        n(offset) + (scale_.bytes() == 1 ? "" : ", byte " + n(offset * scale_.bytes())) + "\n";
    if (l.tileScales() == 1)
      return "  offset = row * blocks + block = " + n(row) + " * " + n(blocks_) + " + " + n(block) + " = " +
             where;
    if (l.order == ScaleTileOrder::MnMajor) {
      const int64_t padded = ceilDiv(rows_, l.tileRows) * l.tileRows;
      if (l.tileBlocks > 1) {
        const std::string blocks = n(l.tileBlocks);
        return "  offset = (block / " + blocks + " * roundup(rows, " + n(l.tileRows) + ") + row) * " +
               blocks + " + block % " + blocks + " = (" + n(block / l.tileBlocks) + " * " + n(padded) +
               " + " + n(row) + ") * " + blocks + " + " + n(block % l.tileBlocks) + " = " + where;
      }
      return "  offset = block * roundup(rows, " + n(l.tileRows) + ") + row = " + n(block) + " * " +
             n(padded) + " + " + n(row) + " = " + where;
    }
    if (l.storage == ScaleStorage::Rows)
      return "  offset = row * roundup(blocks, " + n(l.tileBlocks) + ") + block = " + n(row) + " * " +
             n(ceilDiv(blocks_, l.tileBlocks) * l.tileBlocks) + " + " + n(block) + " = " + where;
    const int64_t tilesInRow = ceilDiv(blocks_, l.tileBlocks), tileScales = l.tileScales(),
                  line = tileScales / l.interleave;
    return "  tile   = (row / " + n(l.tileRows) + ") * ceil(blocks / " + n(l.tileBlocks) + ") + block / " +
           n(l.tileBlocks) + " = " + n(row / l.tileRows) + " * " + n(tilesInRow) + " + " +
           n(block / l.tileBlocks) + " = " + n(offset / tileScales) + "\n  inside = (row % " +
           n(l.interleave) + ") * " + n(line) + " + (row % " + n(l.tileRows) + " / " + n(l.interleave) +
           ") * " + n(l.tileBlocks) + " + block % " + n(l.tileBlocks) + " = " + n(row % l.interleave) +
           " * " + n(line) + " + " + n(row % l.tileRows / l.interleave) + " * " + n(l.tileBlocks) + " + " +
           n(block % l.tileBlocks) + " = " + n(offset % tileScales) + "\n  offset = tile * " + n(tileScales) +
           " + inside = " + n(offset / tileScales) + " * " + n(tileScales) + " + " + n(offset % tileScales) +
           " = " + where;
  }
  std::string columnsOf(int64_t block) const {
    const int64_t end = std::min((block + 1) * format_.blockColumns, shape_.columns);
    return "columns " + n(block * format_.blockColumns) + " to " + n(end - 1);
  }
  std::string owner(const ScaleLayoutInfo &layout, int64_t byte) const {
    if (byte >= bytesOf(layout)) return "after the last scale";
    ScalePlace place = scalePlace(layout.layout, byte / scale_.bytes(), rows_, blocks_);
    if (!groups_.empty()) return groupedOwner(layout.layout, place);
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
        return "after the rows of group " + n(int64_t(g)) + ": not written";
      if (inside >= group.rows() || place.block >= blocks_)
        return "padding of group " + n(int64_t(g)) + "'s last tile, always 0x00";
      return "row " + n(group.begin + inside) + " (row " + n(inside) + " of group " + n(int64_t(g)) +
             "), block " + n(place.block) + " (" + columnsOf(place.block) + ")";
    }
    return "of no group: not written";
  }

  const BlockFormatInfo &format_;
  const ScaleFormatInfo &scale_;
  MatrixShape shape_;
  int64_t align_;
  std::vector<RowGroup> groups_;
  int64_t rows_, blocks_; // of scales
  std::vector<const ScaleLayoutInfo *> layouts_;
};

} // namespace

void explainLayout(const LayoutCommand &command) {
  bool isPlace = command.row || command.block;
  if (command.draw + isPlace + command.offset.has_value() != 1)
    throw usage("mxc layout: expected one of --row R --block B, --offset N, --draw, --convert FROM:TO; see "
                "mxc layout --help");
  std::string text;
  if (command.draw) {
    text = "A tcgen05 tile: " + n(kScaleTileRows) + " rows x " + n(kScaleTileBlocks) + " blocks, " +
           n(kScaleTileBytes) + " bytes; a line is 16 bytes, a cell is row,block\n\n" + drawScaleTile();
  } else {
    if (command.shape.empty())
      throw usage("mxc layout: --shape M=ROWS,K=COLUMNS says how large the matrix is");
    if (isPlace && !(command.row && command.block))
      throw usage("mxc layout: --row and --block belong together");
    try {
      Explanation explanation(formatNamed(command.format), parseMatrixShape(command.shape, "M", "K"),
                              command.ends, command.align);
      text = isPlace ? explanation.place(*command.row, *command.block) : explanation.inverse(*command.offset);
    } catch (const std::overflow_error &error) {
      throw Error(ErrorKind::InvalidInput, error.what());
    }
  }
  writeOutput("-", text);
}

} // namespace mxc
