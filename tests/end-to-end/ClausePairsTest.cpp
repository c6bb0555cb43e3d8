// Pairs of clauses: every product that formats, arrangements and clauses can be combined to, under every kind
// of tile of the device's target. Each is launched and held against the reference, or refused with a sentence
// that names one of the clauses.
#include "tests/end-to-end/ClausePairs.h"

#include "dialect/formats/Error.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <iostream>
#include <map>

using namespace mxc;

namespace {

/// A kind of tile: an attribute's members, or a whole attribute; "": what the compiler chooses.
struct PairTile {
  std::string tile;
  PairExtents extents = kEvenExtents;
};

bool isBlockwise(const ClausePair &pair) { return info(info(pair.formats.a).scale).bytes() == 4; }

std::vector<PairTile> tilesFor(const ClausePair &pair) {
  if (onWarpgroups() && isBlockwise(pair))
    return {{""},
            {"n = 128, stages = 4"},
            {"m = 256, n = 128, stages = 3, ctas = 2"},
            {"m = 16, n = 128, stages = 4, buffers = 1"},
            {"m = 128, n = 128, stages = 3, ctas = 2, share = a, buffers = 1"},
            {"n = 128, stages = 4, scheduler = counter"},
            {"n = 128, stages = 4, store = rows"},
            {"n = 128, stages = 4, load = element, store = rows", kOddExtents}};
  if (onWarpgroups())
    return {{""},
            {"n = 128, stages = 4"},
            {"m = 256, n = 128, stages = 4, ctas = 2"},
            {"n = 128, stages = 4, a = in_flight"},
            {"m = 256, stages = 3, buffers = 1, a = copied_alone"},
            {"n = 256, stages = 3, ctas = 2, share = a, a = copied_alone"},
            {"n = 128, stages = 4, scheduler = counter"},
            {"n = 128, stages = 3, slices = 2"},
            {"n = 128, stages = 4, store = rows"},
            {"#mx.swap_tile<tokens = 32, splits = 2, stages = 3, token_stages = 2, code_stages = 2>"},
            {"#mx.swap_tile<tokens = 96, splits = 1, stages = 3, token_stages = 3, code_stages = 0>"},
            {"n = 128, stages = 4, load = element, store = rows", kOddExtents}};
  if (onWarps())
    return {{""},
            {"stages = 2, buffers = 1"},
            {"n = 64, stages = 3, buffers = 1"},
            {"n = 64, stages = 2, store = rows"},
            {"n = 64, stages = 2, load = element, store = rows", kOddExtents}};
  return {{""},
          {"n = 256, stages = 3, buffers = 1"},
          {"m = 256, n = 256, stages = 3, ctas = 2"},
          {"n = 64, stages = 4"},
          {"n = 128, stages = 3, scheduler = clc"},
          {"n = 128, stages = 3, scheduler = counter"},
          {"n = 128, stages = 3, slices = 2"},
          {"n = 256, stages = 3, mma_k = 96", {160, 1024}},
          {"n = 128, stages = 3, store = rows"},
          {"n = 128, stages = 2, load = element, store = rows", kOddExtents}};
}

/// What a refusal says, without the operation's name and the tile, in which every clause could be found.
std::string sentenceOf(const std::string &message) {
  std::string sentence = message.substr(0, message.find('\n'));
  if (const size_t op = sentence.find("' op "); op != std::string::npos) sentence.erase(0, op + 5);
  for (size_t tile; (tile = sentence.find("#mx.")) != std::string::npos;)
    sentence.erase(tile, sentence.find('>', tile) - tile + 1);
  return sentence;
}

/// Words of which it has one: what it is about.
std::vector<std::string> subjectsOf(const ClausePair &pair, const std::string &tile) {
  std::vector<std::string> words = {"block format", "for blocks of", "elements of"};
  switch (pair.arrangement) {
  case Arrangement::Dense:
    break;
  case Arrangement::Batch:
    words.emplace_back("batch");
    break;
  case Arrangement::GroupsOfK:
    words.insert(words.end(), {"ragged = k", "groups"});
    break;
  case Arrangement::Gather:
    words.emplace_back("gather");
    [[fallthrough]];
  default:
    words.emplace_back("groups");
  }
  switch (pair.clause) {
  case ResultClause::Parts:
    words.insert(words.end(), {"parts", "two products"});
    break;
  case ResultClause::QuantizedRows:
  case ResultClause::QuantizedColumns:
    words.insert(words.end(), {"quantize", "codes with scales"});
    break;
  default:
    words.emplace_back(name(pair.clause));
  }
  // "n = 128, stages = 4": what the tile asks for, and what it takes.
  if (!tile.empty()) words.insert(words.end(), {"shared memory", "tensor memory"});
  const size_t open = tile.find('<');
  if (open != std::string::npos) words.emplace_back("the tile '': expected"); // of another kind
  const std::string members =
      open == std::string::npos ? tile : tile.substr(open + 1, tile.size() - open - 2);
  for (size_t at = 0; at < members.size();) {
    const size_t end = std::min(members.find(", ", at), members.size());
    words.push_back(members.substr(at, end - at));
    at = end + 2;
  }
  return words;
}

/// Whether the contract has no such product on this chip (docs/semantics.md, M3, M11, M12, B1): under the
/// compiler's own tile every other one is launched.
bool isOutsideOfContract(const ClausePair &pair) {
  const bool hasParts = pair.clause == ResultClause::Parts,
             isQuantized =
                 pair.clause == ResultClause::QuantizedRows || pair.clause == ResultClause::QuantizedColumns;
  const BlockFormatInfo &a = info(pair.formats.a);
  if (a.scale == ScaleFormat::UE8M0 && a.blockColumns != 32) return true;
  if (isBlockwise(pair) && (!onWarpgroups() || hasParts || isQuantized)) return true;
  return (hasParts || isQuantized) &&
         (pair.arrangement == Arrangement::Batch || pair.arrangement == Arrangement::GroupsOfK);
}

struct Counts {
  int launched = 0, refused = 0;
  std::map<std::string, int> sentences;
};

/// "" or what is wrong.
std::string judge(const ClausePair &pair, const PairTile &kind, Counts &counts) {
  std::optional<Module> module;
  try {
    module.emplace(compileForDevice(pair.kernel(), kind.tile));
  } catch (const Error &error) {
    const std::string sentence = sentenceOf(error.what());
    ++counts.refused, ++counts.sentences[sentence];
    if (kind.tile.empty() && !isOutsideOfContract(pair))
      return std::string("refused without need: ") + error.what();
    for (const std::string &word : subjectsOf(pair, kind.tile))
      if (sentence.find(word) != std::string::npos) return "";
    return std::string("refused, and names no clause: ") + error.what();
  }
  if (isOutsideOfContract(pair)) return "compiled, which the contract does not have";
  try {
    ++counts.launched;
    return checkPair(module->kernel(), pair, kind.extents, kind.tile);
  } catch (const Error &error) {
    return std::string("not launched: ") + error.what();
  }
}

/// FNV-1a, the same everywhere.
uint64_t hashOf(const std::string &text, uint64_t seed) {
  uint64_t hash = 0xCBF29CE484222325 ^ (seed * 0x9E3779B97F4A7C15);
  for (char c : text)
    hash = (hash ^ uint8_t(c)) * 0x100000001B3;
  return hash ^ (hash >> 29);
}

/// Checks those of all pairs under all kinds of tiles whose hash is `number` of `shares`.
void checkShare(uint64_t number, uint64_t shares, uint64_t seed) {
  Counts counts;
  int all = 0;
  for (const ClausePair &pair : clausePairs())
    for (const PairTile &kind : tilesFor(pair)) {
      ++all;
      const std::string name = pair.name() + ", " + (kind.tile.empty() ? "the compiler's tile" : kind.tile);
      if (hashOf(name, seed) % shares != number) continue;
      INFO(name << "\n" << pair.kernel());
      CHECK(judge(pair, kind, counts) == "");
    }
  std::cout << all << " pairs of clauses and tiles, of which launched: " << counts.launched
            << ", refused: " << counts.refused << "\n";
  if (std::getenv("MXC_PAIRS_SENTENCES"))
    for (const auto &[sentence, count] : counts.sentences)
      std::cout << count << " " << sentence << "\n";
}

} // namespace

// Each was wrong, or refused, while both of its clauses worked apart.
TEST_CASE("pairs of clauses: those that failed once", "[simulated][chip]") {
  const FormatPair nvfp4 = {BlockFormat::NVFP4, BlockFormat::NVFP4},
                   mxfp4 = {BlockFormat::MXFP4, BlockFormat::MXFP4};
  Counts counts;
  for (const ClausePair &pair : {ClausePair{nvfp4, Arrangement::GroupsAlign1, ResultClause::Plain},
                                 ClausePair{nvfp4, Arrangement::GroupsOfK, ResultClause::Plain},
                                 ClausePair{mxfp4, Arrangement::GroupsOfK, ResultClause::Accumulate},
                                 ClausePair{nvfp4, Arrangement::Dense, ResultClause::Parts},
                                 ClausePair{nvfp4, Arrangement::Dense, ResultClause::QuantizedColumns}})
    for (const PairTile &kind : {PairTile{""}, tilesFor(pair).back()}) {
      INFO(pair.name() << ", " << kind.tile << "\n" << pair.kernel());
      CHECK(judge(pair, kind, counts) == "");
    }
  // An empty group's results stay as they were, those of tiles with fewer rows than warps store, too.
  const FormatPair fp8 = {BlockFormat::FP8_E4M3_1x128, BlockFormat::FP8_E4M3_1x128};
  const ClausePair added = {fp8, Arrangement::GroupsOfK, ResultClause::Accumulate};
  for (const PairTile &kind : tilesFor(added)) {
    INFO(added.name() << ", " << kind.tile << "\n" << added.kernel());
    CHECK(judge(added, kind, counts) == "");
  }
}

// MXC_PAIRS_SEED takes another sample.
TEST_CASE("pairs of clauses: a sample", "[simulated]") {
  constexpr uint64_t kShares = 60;
  const char *seed = std::getenv("MXC_PAIRS_SEED");
  checkShare(0, kShares, seed ? std::stoul(seed) : 1);
}

// MXC_PAIRS_SHARE="3/16" takes one of 16 equal shares.
TEST_CASE("pairs of clauses: all", "[.pairs]") {
  const std::string share = std::getenv("MXC_PAIRS_SHARE") ? std::getenv("MXC_PAIRS_SHARE") : "0/1";
  checkShare(std::stoul(share), std::stoul(share.substr(share.find('/') + 1)), 0);
}
