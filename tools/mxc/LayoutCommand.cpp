// mxc layout: where the scale of (row, block) lies, and the inverse, with the numbers put in.
#include "compiler/reference/ScalePlace.h"
#include "dialect/formats/BlockScale.h"
#include "dialect/formats/Error.h"
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
  explicit Explanation(MatrixShape shape)
      : shape_(shape), rows_(shape.rows), blocks_(ceilDiv(shape.columns, kBlockColumns)),
        denseBytes_(scaleBytes(ScaleLayout::Dense, rows_, blocks_)),
        tiledBytes_(scaleBytes(ScaleLayout::Tcgen05, rows_, blocks_)) {}

  std::string place(int64_t row, int64_t block) const {
    if (row < 0 || row >= rows_ || block < 0 || block >= blocks_)
      throw Error(ErrorKind::InvalidInput, "row " + n(row) + ", block " + n(block) + " lies outside of " +
                                               matrix() + ": rows are 0 to " + n(rows_ - 1) +
                                               ", blocks 0 to " + n(blocks_ - 1));
    int64_t tilesInRow = ceilDiv(blocks_, 4), tile = row / 128 * tilesInRow + block / 4;
    int64_t inTile = row % 32 * 16 + row % 128 / 32 * 4 + block % 4;
    return head() + "\nrow " + n(row) + ", block " + n(block) + " (" + columnsOf(block) + ")\n\n" +
           denseHead() + "  offset = row * blocks + block = " + n(row) + " * " + n(blocks_) + " + " +
           n(block) + " = " + n(scaleOffset(ScaleLayout::Dense, row, block, blocks_)) + "\n\n" + tiledHead() +
           "  tile   = (row / 128) * ceil(blocks / 4) + block / 4 = " + n(row / 128) + " * " + n(tilesInRow) +
           " + " + n(block / 4) + " = " + n(tile) +
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
    std::string text = "row " + n(place.row) + ", block " + n(place.block);
    return place.isPadding ? "padding (" + text + " is outside of the matrix), always 0x00"
                           : text + " (" + columnsOf(place.block) + ")";
  }

  MatrixShape shape_;
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
      Explanation explanation(parseMatrixShape(command.shape));
      text = isPlace ? explanation.place(*command.row, *command.block) : explanation.inverse(*command.offset);
    } catch (const std::overflow_error &error) {
      throw Error(ErrorKind::InvalidInput, error.what());
    }
  }
  writeOutput("-", text);
}

} // namespace mxc
