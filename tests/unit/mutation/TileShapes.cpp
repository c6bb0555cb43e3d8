#include "tests/unit/mutation/TileShapes.h"

#include <algorithm>
#include <array>

using namespace mxc;

namespace {

/// "stages" of "matmul_tile<m = 128, stages = 4>": 4.
int64_t memberOf(const std::string &tile, const std::string &member) {
  for (std::string before : {"<", ", "})
    if (size_t at = tile.find(before + member + " = "); at != tile.npos)
      return std::stoll(tile.substr(at + before.size() + member.size() + 3));
  return 0;
}

bool has(const std::string &tile, const std::string &text) { return tile.find(text) != tile.npos; }

/// Elements of K that a stage of operands has.
int64_t stepOf(const KernelAbi &kernel) {
  int64_t step = 256;
  for (const AbiArgument &argument : kernel.arguments)
    if ((argument.role == ArgumentRole::Left || argument.role == ArgumentRole::Right) &&
        argument.type != "e2m1")
      step = 128;
  return step;
}

int64_t roundUp(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

/// Groups of rows of a: one, an empty one, many, an empty one.
ProductShape withRowGroups(ProductShape shape, int64_t m) {
  const int32_t first = int32_t(std::max<int64_t>(m * 2 / 5, 12));
  shape.m = std::max<int64_t>(shape.m, 256);
  const int32_t last = int32_t(shape.m - 12);
  shape.rowEnds = {first, first, last, last};
  return shape;
}

/// Groups of K: one of so many steps, an empty one unless `isFull`, one of a step or two, one of many; after
/// them a piece of K that no group has.
ProductShape withKGroups(ProductShape shape, bool isFull) {
  constexpr int64_t kAlign = 128; // groups begin at its multiples
  const int64_t steps = shape.k, first = steps - 28,
                third = roundUp(first, kAlign) + std::min<int64_t>(150, steps - 10),
                last = roundUp(third, kAlign) + steps - 18;
  shape.kEnds = {int32_t(first), int32_t(third), int32_t(last)};
  if (!isFull) shape.kEnds.insert(shape.kEnds.begin(), int32_t(first));
  shape.k = roundUp(last, kAlign) + 2 * kAlign;
  return shape;
}

/// A tile, or its slices, of so long a K that one more pair comes to copy an operand, where the other is in
/// flight.
ProductShape withPairThatHelps(const std::string &tile, int64_t step) {
  const int64_t slices = memberOf(tile, "slices");
  return {memberOf(tile, "m"), memberOf(tile, "n"), 2 * slices * step, {}, {}, unsigned(2 * (slices + 1))};
}

/// In global memory.
bool hasCounts(const KernelAbi &kernel) {
  return std::ranges::any_of(kernel.arguments, [](const AbiArgument &argument) {
    return argument.kind == ArgumentKind::Workspace && argument.zeroing != WorkspaceZeroing::No;
  });
}

/// Along columns, of elements below 8 bits: of 272 rows they are no multiple of 16 bytes.
bool hasNarrowCopies(const std::string &tile, const KernelAbi &kernel) {
  constexpr std::array<std::string_view, 3> kNarrow = {"e2m1", "e2m3", "e3m2"};
  return tile.starts_with("column_tile") &&
         std::ranges::any_of(kernel.arguments, [&](const AbiArgument &argument) {
           return argument.isOutput && std::ranges::find(kNarrow, argument.type) != kNarrow.end();
         });
}

std::vector<ProductShape> ofFewRows(const std::string &tile) {
  const int64_t columns = memberOf(tile, "columns"), tokens = memberOf(tile, "tokens"),
                splits = memberOf(tile, "splits"), codeStages = memberOf(tile, "code_stages"),
                stages = std::max(
                    {memberOf(tile, "stages"), memberOf(tile, "token_stages"), codeStages, int64_t(4)});
  const int64_t slab = codeStages ? 128 : 256;
  return {{tokens, 4 * columns, 64},
          {tokens, (splits > 2 ? 1 : 2) * columns, (stages + 1) * slab * splits * memberOf(tile, "parts")}};
}

/// `sharedBytes`: stages of small tiles have several steps.
std::vector<ProductShape> ofProduct(const std::string &tile, const std::string &target, int64_t step,
                                    int64_t sharedBytes) {
  constexpr int64_t kBytesOfStep = 128; // of a row
  const int64_t m = memberOf(tile, "m"), n = memberOf(tile, "n"), stages = memberOf(tile, "stages"),
                steps = std::max<int64_t>(1, sharedBytes / stages / ((m + n) * kBytesOfStep)),
                k = (stages + 1) * steps * step * memberOf(tile, "slices");
  const bool isPair = memberOf(tile, "ctas") == 2, hasTensorMemory = target.starts_with("sm_10");
  const unsigned multiprocessors = memberOf(tile, "slices") > 1 ? 4 : 2;
  if (hasTensorMemory)
    return {{2 * m, n, step * memberOf(tile, "slices")},
            {(isPair ? 3 : 6) * m, n, k, {}, {}, multiprocessors}};
  // The last rows of tiles multiply half of theirs, and other tiles come after them.
  const bool hasHalfTiles = has(tile, "a = copied_alone");
  const int64_t rows = 2 * m + (hasHalfTiles ? m / 4 : 0), columns = isPair && !hasHalfTiles ? 1 : 2;
  return {{rows, columns * n, step},
          {rows, n, 2 * step, {}, {}, 4},
          {rows, columns * n, k, {}, {}, multiprocessors}};
}

} // namespace

std::vector<ProductShape> shapesOf(const DefaultTile &tile, const KernelAbi &kernel) {
  const bool isFewRows = tile.tile.starts_with("swap_tile"), isProduct = tile.tile.starts_with("matmul_tile");
  if (!isFewRows && !isProduct) {
    const ProductShape some = {hasNarrowCopies(tile.tile, kernel) ? 320 : 272, 16, 320, {40, 200}};
    if (!has(tile.tile, "load = element") || !hasCounts(kernel)) return {some};
    return {some, {0, 16, 320, {0, 0}}}; // totals of nothing
  }
  std::vector<ProductShape> shapes = isFewRows ? ofFewRows(tile.tile)
                                               : ofProduct(tile.tile, tile.target, stepOf(kernel),
                                                           kernel.variants[tile.variant].sharedBytes);
  auto ends = std::ranges::find(kernel.arguments, ArgumentRole::Ends, &AbiArgument::role);
  const bool hasEnds = ends != kernel.arguments.end();
  for (ProductShape &shape : shapes) {
    if (!hasEnds) break;
    shape = ends->groupDimension
                ? withKGroups(std::move(shape), /*isFull=*/&shape == &shapes.front())
                : withRowGroups(std::move(shape), memberOf(tile.tile, isFewRows ? "tokens" : "m"));
    if (!ends->groupDimension && has(tile.tile, "a = copied_alone"))
      shape.m += memberOf(tile.tile, "m"); // rows of no group, whose copies nobody waits for
  }
  auto putFirst = [&](int64_t k, std::vector<int32_t> rowEnds) {
    ProductShape shape = {256, shapes.front().n, k};
    if (hasEnds && ends->groupDimension)
      shape.kEnds = {0, 0};
    else if (hasEnds)
      shape.rowEnds = std::move(rowEnds);
    shapes.insert(shapes.begin(), std::move(shape));
  };
  const bool isByElement = has(tile.tile, "load = element"),
             takesNoK = !has(tile.tile, "a = in_flight") && !has(tile.tile, "a = copied_alone");
  if (isByElement) putFirst(0, {100, 200}); // no product stands before the results
  if (isProduct && hasCounts(kernel)) {     // whoever makes copies that nobody waits for leaves last
    if (hasEnds)
      putFirst(2 * stepOf(kernel), {0, 0});
    else if (takesNoK && !isByElement &&
             tile.target.starts_with("sm_90")) // elsewhere no tensor map has a K of 0
      putFirst(0, {});
    else if (!takesNoK && memberOf(tile.tile, "ctas") == 2)
      shapes.push_back(withPairThatHelps(tile.tile, stepOf(kernel)));
  }
  return shapes;
}
