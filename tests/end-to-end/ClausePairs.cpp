#include "tests/end-to-end/ClausePairs.h"

#include "dialect/formats/PackedCodes.h"
#include "dialect/formats/RowGroups.h"
#include "dialect/formats/ScaleFormat.h"
#include "dialect/formats/ScaleLayout.h"
#include "tests/end-to-end/MatrixData.h"

#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <random>

using namespace mxc;

std::string_view name(Arrangement arrangement) {
  static constexpr std::array<std::string_view, 6> kNames = {
      "dense", "batch", "groups align 1", "groups align 128", "ragged k", "gather"};
  return kNames[size_t(arrangement)];
}

std::string_view name(ResultClause clause) {
  static constexpr std::array<std::string_view, 8> kNames = {
      "plain",          "epilogue",          "alpha",      "parts",
      "quantized rows", "quantized columns", "accumulate", "two results"};
  return kNames[size_t(clause)];
}

std::vector<FormatPair> formatPairs() {
  std::vector<FormatPair> pairs;
  for (const BlockFormatInfo &a : blockFormats()) {
    if (a.blockRows != 1) continue; // those of a have one row [M3]
    for (const BlockFormatInfo &b : blockFormats())
      if (b.element == a.element && b.scale == a.scale && b.blockColumns == a.blockColumns)
        pairs.push_back({a.format, b.format});
  }
  pairs.push_back({BlockFormat::MXFP8_E4M3, BlockFormat::MXFP4});
  pairs.push_back({BlockFormat::MXFP4, BlockFormat::MXFP8_E5M2});
  pairs.push_back({BlockFormat::MXFP6_E2M3, BlockFormat::MXFP4});
  return pairs;
}

std::string text(const FormatPair &formats) {
  return std::string(info(formats.a).name) + " x " + std::string(info(formats.b).name);
}

std::string ClausePair::name() const {
  return text(formats) + ", " + std::string(::name(arrangement)) + ", " + std::string(::name(clause));
}

std::vector<ClausePair> clausePairs() {
  std::vector<ClausePair> pairs;
  for (const FormatPair &formats : formatPairs())
    for (Arrangement arrangement : kArrangements)
      for (ResultClause clause : kResultClauses)
        pairs.push_back({formats, arrangement, clause});
  return pairs;
}

static ScaleLayout layoutOf(const BlockFormatInfo &format) {
  if (info(format.scale).bytes() == 1) return ScaleLayout::Tcgen05;
  return format.blockRows == 1 ? ScaleLayout::MnMajor : ScaleLayout::Dense;
}

namespace {
/// A kernel under construction: an argument, and where the operation names it.
struct PairText {
  const ClausePair &pair;
  std::string arguments = {};

  std::string argument(const std::string &name, const std::string &type) {
    arguments += (arguments.empty() ? "%" : ", %") + name + ": " + type;
    return "%" + name;
  }
  static std::string matrix(int leading, const std::string &element) {
    std::string text = "memref<";
    for (int i = 0; i < leading; ++i)
      text += "?x";
    return text + "?x?x" + element + ">";
  }
  // The types of codes and of scales; b has its parts between its batches and its rows.
  std::array<std::string, 2> typesOf(BlockFormat format, int leading, bool hasParts) const {
    const BlockFormatInfo &block = info(format);
    const ScaleLayout layout = layoutOf(block);
    std::array<std::string, 2> types;
    std::string front = "memref<";
    for (int i = 0; i < leading; ++i)
      front += "?x";
    if (hasParts) front += "2x";
    front += "?x?x";
    types[0] = front + std::string(info(block.element).mlirType) + ">";
    types[1] =
        front + std::string(info(block.scale).mlirType) +
        (layout == ScaleLayout::Dense ? ">" : ", #mx.scale_layout<" + std::string(info(layout).name) + ">>");
    return types;
  }

  std::string block() const {
    const BlockFormatInfo &a = info(pair.formats.a), &b = info(pair.formats.b);
    auto text = [](const BlockFormatInfo &block) {
      return std::to_string(block.blockRows) + "x" + std::to_string(block.blockColumns);
    };
    if (a.blockColumns != 128) return "";
    return " block = " + text(a) + (a.format == b.format ? "" : " by " + text(b));
  }

  std::string text() {
    const bool isBatched = pair.arrangement == Arrangement::Batch,
               isOfK = pair.arrangement == Arrangement::GroupsOfK, hasRowGroups = pair.isGrouped() && !isOfK,
               hasParts = pair.clause == ResultClause::Parts;
    const auto a = typesOf(pair.formats.a, isBatched, false),
               b = typesOf(pair.formats.b, isBatched || hasRowGroups, hasParts);
    const std::string vector = "memref<?xi32>";
    std::string op = std::string("mx.") + (pair.isGrouped() ? "grouped_matmul" : "matmul") + " ins(" +
                     argument("a", a[0]) + ", " + argument("sa", a[1]) + ", " + argument("b", b[0]) + ", " +
                     argument("sb", b[1]) + " : " + a[0] + ", " + a[1] + ", " + b[0] + ", " + b[1] + ")";
    if (pair.isGrouped()) op += " groups(" + argument("ends", vector) + " : " + vector + ")";
    if (pair.arrangement == Arrangement::Gather)
      op += " gather(" + argument("index", vector) + " : " + vector + ")";
    if (pair.clause == ResultClause::Epilogue) {
      const std::string bias = isBatched || pair.isGrouped() ? "memref<?x1x?xbf16>" : "memref<1x?xbf16>";
      op += " with(" + argument("bias", bias) + " : " + bias + ")";
    }
    if (pair.clause == ResultClause::Alpha)
      op += " alpha(" + argument("alpha", "memref<1xf32>") + " : memref<1xf32>)";
    op += results(isBatched || isOfK);
    if (pair.arrangement == Arrangement::GroupsAlign1) op += " align = 1";
    if (isOfK) op += " ragged = k";
    if (hasParts) op += " parts = 2";
    if (pair.clause == ResultClause::Accumulate) op += " accumulate";
    return "mx.kernel @k(" + arguments + ") {\n  " + op + block() + region() + "\n}\n";
  }

  std::string results(int leading) {
    const std::string c = matrix(leading, pair.clause == ResultClause::Accumulate ? "f32" : "bf16");
    if (pair.clause == ResultClause::QuantizedRows || pair.clause == ResultClause::QuantizedColumns) {
      const std::string q = matrix(leading, "f8E4M3FN"),
                        s = matrix(leading, "f8E8M0FNU, #mx.scale_layout<tcgen05>"),
                        axis = pair.clause == ResultClause::QuantizedRows ? "row" : "column";
      return " outs((" + argument("q", q) + ", " + argument("s", s) + ") {axis = " + axis + "} : " + q +
             ", " + s + ")";
    }
    if (pair.clause == ResultClause::TwoResults) {
      const std::string d = matrix(leading, "f16");
      return " outs(" + argument("c", c) + ", " + argument("d", d) + " : " + c + ", " + d + ")";
    }
    return " outs(" + argument("c", c) + " : " + c + ")";
  }

  std::string region() const {
    switch (pair.clause) {
    case ResultClause::Epilogue:
      return " {\n  ^bb0(%p: f32, %of: f32):\n    %y = arith.addf %p, %of : f32\n    mx.yield %y : f32\n  }";
    case ResultClause::Parts:
      return " {\n  ^bb0(%p: f32, %r: f32):\n    %y = arith.mulf %p, %r : f32\n    mx.yield %y : f32\n  }";
    case ResultClause::TwoResults:
      return " {\n  ^bb0(%p: f32):\n    %y = arith.negf %p : f32\n    mx.yield %p, %y : f32, f32\n  }";
    default:
      return "";
    }
  }
};
} // namespace

std::string ClausePair::kernel() const { return PairText{*this}.text(); }

namespace {

/// Rows of codes with their scales, `matrices` of them; padding of scales is finite, and is not 0.
struct PairOperand {
  std::vector<std::byte> codes, scales;

  PairOperand(BlockFormat blocks, int64_t matrices, int64_t rows, int64_t scaleRows, int64_t k,
              const std::vector<RowGroup> &groupsOfK, uint64_t seed)
      : format_(info(blocks)), layout_(layoutOf(format_)), random_(seed) {
    std::vector<uint8_t> single;
    for (int64_t i = 0; i < matrices * rows * k; ++i)
      single.push_back(code());
    const int64_t rowsOfScales = (scaleRows + format_.blockRows - 1) / format_.blockRows,
                  of = format_.blocks(k), perMatrix = scaleCount(layout_, rowsOfScales, of);
    for (int64_t i = 0; i < matrices * perMatrix; ++i)
      addScale();
    const size_t bytes = info(format_.scale).bytes();
    for (const RowGroup &group : groupsOfK) { // [GP4]
      if (!group.rows()) continue;
      const int64_t next = std::min((group.end + 127) / 128 * 128, k), length = format_.blockColumns;
      for (int64_t row = 0; row < rows; ++row) {
        std::fill(single.begin() + row * k + group.end, single.begin() + row * k + next, uint8_t(0));
        for (int64_t block = (group.end + length - 1) / length; block < (next + length - 1) / length; ++block)
          std::memset(scales.data() + size_t(scaleOffset(layout_, row, block, rowsOfScales, of)) * bytes, 0,
                      bytes);
      }
    }
    codes.resize(size_t(storageBytes(format_.element, int64_t(single.size()))));
    packCodes(format_.element, single, reinterpret_cast<uint8_t *>(codes.data()));
  }

private:
  uint8_t code() {
    const int bits = info(format_.element).bits();
    while (true)
      if (const uint8_t any = uint8_t(random_() & ((1u << bits) - 1));
          std::isfinite(decode(format_.element, any)))
        return any;
  }
  void addScale() {
    switch (format_.scale) {
    case ScaleFormat::UE8M0:
      return scales.push_back(std::byte(118 + random_() % 16));
    case ScaleFormat::UE4M3:
      return scales.push_back(std::byte(1 + random_() % 0x7E));
    default: {
      const float scale = std::ldexp(1 + float(random_() % 1024) / 1024, int(random_() % 16) - 8);
      const auto bytes = std::as_bytes(std::span(&scale, 1));
      scales.insert(scales.end(), bytes.begin(), bytes.end());
    }
    }
  }

  const BlockFormatInfo &format_;
  ScaleLayout layout_;
  std::mt19937_64 random_;
};

/// Everything that a launch is given.
struct PairData {
  std::vector<int32_t> ends, index;
  RunCase run;
  std::optional<PairOperand> a, b;
  std::vector<std::byte> bias, sum;
  float alpha = 0.375f;

  PairData(const ClausePair &pair, PairExtents extents) {
    constexpr int64_t kRows = 140, kBatches = 2, kSourceRows = 70;
    const bool isBatched = pair.arrangement == Arrangement::Batch,
               isOfK = pair.arrangement == Arrangement::GroupsOfK, hasRowGroups = pair.isGrouped() && !isOfK,
               gathers = pair.arrangement == Arrangement::Gather;
    const int32_t align = pair.arrangement == Arrangement::GroupsAlign1 ? 1 : 128;
    int64_t m = kRows, k = extents.k;
    std::vector<RowGroup> groupsOfK;
    if (hasRowGroups) {
      ends = endsOf({5, 0, 130, 44}, align);
      m = ends.back() + 20; // that are nobody's
    } else if (isOfK) {
      ends = endsOf({128, 44, 0, 130}, align); // two begin at odd multiples of 128
      k = extents.k % 128 ? ends.back() + 2 : (ends.back() + 127) / 128 * 128 + 128;
      groupsOfK = rowGroups(ends, k, align);
    }
    const int64_t groups = int64_t(ends.size()), batches = isBatched ? kBatches : 1,
                  parts = pair.clause == ResultClause::Parts ? 2 : 1, rowsA = gathers ? kSourceRows : m,
                  scaleRowsA = hasRowGroups && !gathers ? scaleRowsOf(m, groups, align) : rowsA;
    a.emplace(pair.formats.a, batches, rowsA, scaleRowsA, k, groupsOfK, 1);
    b.emplace(pair.formats.b, (hasRowGroups ? groups : batches) * parts, extents.n, extents.n, k, groupsOfK,
              2);
    run.inputs = {{"a", a->codes}, {"sa", a->scales}, {"b", b->codes}, {"sb", b->scales}};
    run.dimensions = {{"M", m}, {"N", extents.n}, {"K", k}};
    if (isBatched) run.dimensions["B"] = batches;
    if (pair.isGrouped()) {
      run.inputs["ends"] = std::as_bytes(std::span(ends));
      run.dimensions["G"] = groups;
    }
    if (gathers) {
      for (int64_t row = 0; row < m; ++row)
        index.push_back(row % 9 ? int32_t(row * 29 % kSourceRows) : -1);
      run.inputs["index"] = std::as_bytes(std::span(index));
      run.dimensions["T"] = kSourceRows;
    }
    if (pair.clause == ResultClause::Epilogue) {
      bias = matrixData(FloatType::BF16, pair.isGrouped() ? groups : batches, extents.n, 3, /*finite=*/true);
      run.inputs["bias"] = bias;
    }
    if (pair.clause == ResultClause::Alpha) run.inputs["alpha"] = std::as_bytes(std::span(&alpha, 1));
    if (pair.clause == ResultClause::Accumulate) {
      sum = matrixData(FloatType::F32, m * (isOfK ? groups : batches), extents.n, 4, /*finite=*/true);
      run.inputs["c"] = sum;
    }
  }
};

} // namespace

std::string checkPair(const Kernel &kernel, const ClausePair &pair, PairExtents extents,
                      const std::string &tile) {
  PairData data(pair, extents);
  std::optional<Prologue> region;
  const std::string source = pair.kernel();
  if (source.find("^bb0") != std::string::npos)
    data.run.prologue = &region.emplace(Prologue::parse(source).value());
  RunOutcome outcome = runChecked(kernel, data.run);
  outcome.failure += tileFailure(outcome.tile, tile);
  return outcome.failure.empty() ? "" : "<" + outcome.tile + ">\n" + outcome.failure;
}
