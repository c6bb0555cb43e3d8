// Every product that formats, arrangements of the rows, and clauses can be combined to: its kernel, and
// operands small enough for a simulator. Nothing here knows a chip.
#pragma once

#include "dialect/formats/BlockFormat.h"
#include "tests/end-to-end/CheckedRun.h"

#include <string>
#include <string_view>
#include <vector>

/// How the rows of the operands make products.
enum class Arrangement { Dense, Batch, GroupsAlign1, GroupsAlign128, GroupsOfK, Gather };
inline constexpr Arrangement kArrangements[] = {Arrangement::Dense,        Arrangement::Batch,
                                                Arrangement::GroupsAlign1, Arrangement::GroupsAlign128,
                                                Arrangement::GroupsOfK,    Arrangement::Gather};
std::string_view name(Arrangement arrangement);

/// What is done with the products.
enum class ResultClause {
  Plain,
  Epilogue,
  Alpha,
  Parts,
  QuantizedRows,
  QuantizedColumns,
  Accumulate,
  TwoResults
};
inline constexpr ResultClause kResultClauses[] = {ResultClause::Plain,         ResultClause::Epilogue,
                                                  ResultClause::Alpha,         ResultClause::Parts,
                                                  ResultClause::QuantizedRows, ResultClause::QuantizedColumns,
                                                  ResultClause::Accumulate,    ResultClause::TwoResults};
std::string_view name(ResultClause clause);

/// The block formats of a and b.
struct FormatPair {
  mxc::BlockFormat a, b;
};
/// Each format with itself, blocks of 1x128 with those of 128x128, too, and some of different widths.
std::vector<FormatPair> formatPairs();
std::string text(const FormatPair &formats);

struct ClausePair {
  FormatPair formats;
  Arrangement arrangement;
  ResultClause clause;

  bool isGrouped() const { return arrangement != Arrangement::Dense && arrangement != Arrangement::Batch; }
  std::string name() const;
  std::string kernel() const; // MLIR: the kernel "k"
};
/// All of them.
std::vector<ClausePair> clausePairs();

/// Extents of a product: even ones for tensor maps, and odd ones.
struct PairExtents {
  int64_t n, k;
};
inline constexpr PairExtents kEvenExtents = {160, 384}, kOddExtents = {150, 332};

/// "" or what is wrong with the results; `tile`: what the launch must take, if not empty.
std::string checkPair(const mxc::Kernel &kernel, const ClausePair &pair, PairExtents extents,
                      const std::string &tile);
