#include "runtime/jit/TunedTiles.h"

#include "compiler/CompilerIdentity.h"
#include "compiler/TileListing.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unistd.h>

namespace mxc {

static constexpr std::pair<Assembler, std::string_view> kAssemblers[] = {
    {Assembler::Auto, "auto"}, {Assembler::NvJitLink, "nvjitlink"}, {Assembler::Ptxas, "ptxas"}};

std::string_view name(Assembler assembler) { return kAssemblers[static_cast<size_t>(assembler)].second; }

std::optional<Assembler> assemblerNamed(std::string_view text) {
  for (const auto &[assembler, assemblerName] : kAssemblers)
    if (assemblerName == text) return assembler;
  return std::nullopt;
}

std::string withCondition(const std::string &tile, const ShapeExpression &condition) {
  if (condition.empty()) return tile;
  const std::string when = ", when = \"" + condition.text() + "\"";
  return tile.ends_with('>') ? tile.substr(0, tile.size() - 1) + when + ">" : tile + when;
}

namespace {

using ByAssembler = std::map<Assembler, const TunedChoice *>;

/// One kernel's choices: the one that counts for each bucket and assembler.
struct KernelChoices {
  std::string kernel;
  std::vector<std::pair<ShapeBucket, ByAssembler>> buckets; // the newest first
};

} // namespace

static KernelChoices choicesThatCount(const std::string &kernel, std::span<const TunedChoice> choices,
                                      const std::string &build) {
  constexpr size_t kMostBuckets = 48;
  KernelChoices result{kernel, {}};
  for (const TunedChoice &choice : choices) {
    const std::optional<Assembler> assembler = assemblerNamed(choice.assembler);
    if (!assembler || (*assembler != Assembler::Auto && !hasAssembler(*assembler))) continue;
    auto place =
        std::ranges::find(result.buckets, choice.bucket, &std::pair<ShapeBucket, ByAssembler>::first);
    if (place == result.buckets.end()) {
      if (result.buckets.size() == kMostBuckets) continue;
      place = result.buckets.insert(place, {choice.bucket, {}});
    }
    auto [known, isNew] = place->second.try_emplace(*assembler, &choice);
    if (!isNew && known->second->build != build && choice.build == build) known->second = &choice;
  }
  return result;
}

/// Compares the products of times over the buckets in which every assembler has been measured.
static Assembler fastestAssembler(const std::vector<KernelChoices> &kernels) {
  std::map<Assembler, double> logarithms;
  for (const KernelChoices &kernel : kernels)
    for (const auto &[bucket, choices] : kernel.buckets)
      for (const auto &[assembler, choice] : choices)
        logarithms[assembler];
  for (const KernelChoices &kernel : kernels)
    for (const auto &[bucket, choices] : kernel.buckets)
      if (choices.size() == logarithms.size())
        for (const auto &[assembler, choice] : choices)
          logarithms[assembler] += std::log(std::max(choice->score, 1e-9));
  const auto fastest =
      std::ranges::min_element(logarithms, {}, [](const auto &entry) { return entry.second; });
  return fastest == logarithms.end() ? Assembler::Auto : fastest->first;
}

TunedTiles tunedTiles(std::span<const std::pair<std::string, std::vector<TunedChoice>>> choicesOfKernels,
                      const std::string &build) {
  std::vector<KernelChoices> kernels;
  for (const auto &[kernel, choices] : choicesOfKernels)
    kernels.push_back(choicesThatCount(kernel, choices, build));
  TunedTiles result;
  result.assembler = fastestAssembler(kernels);
  for (const KernelChoices &kernel : kernels) {
    std::vector<std::pair<std::string, std::string>> tiles; // and when
    for (const auto &[bucket, choices] : kernel.buckets) {
      const auto own = choices.find(result.assembler);
      const std::string &tile = (own == choices.end() ? choices.begin() : own)->second->tile;
      if (tile.empty()) continue;
      const std::string condition = bucket.condition().text();
      auto known = std::ranges::find(tiles, tile, &std::pair<std::string, std::string>::first);
      if (known == tiles.end())
        tiles.emplace_back(tile, condition);
      else if (!known->second.empty())
        known->second += " || " + condition;
    }
    for (const auto &[tile, condition] : tiles)
      result.tiles.push_back({kernel.kernel, withCondition(tile, ShapeExpression(condition))});
  }
  return result;
}

TunedTiles tunedTiles(const TuningDatabase &database, const Device &device, std::string_view source,
                      std::string_view sourceName) {
  if (access(database.file().c_str(), F_OK) != 0) return {}; // nobody has tuned: no reason to parse
  std::vector<std::pair<std::string, std::vector<TunedChoice>>> choicesOfKernels;
  std::string problem;
  for (const KernelText &kernel : kernelTexts(source, sourceName)) {
    TuningDatabase::Choices found = database.choices(tuningKey(kernel.text, device));
    if (!found.problem.empty()) problem = found.problem;
    choicesOfKernels.emplace_back(kernel.kernel, std::move(found.choices));
  }
  TunedTiles result = tunedTiles(choicesOfKernels, tuningBuild());
  result.problem = problem;
  return result;
}

} // namespace mxc
