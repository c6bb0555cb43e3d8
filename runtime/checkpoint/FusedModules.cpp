// vLLM, SGLang and TensorRT-LLM load such modules into one matrix each and take one tensor scale for it:
// packed_modules_mapping of vLLM's models.
#include "runtime/checkpoint/FusedModules.h"

#include <algorithm>

namespace mxc {

/// The part of the module's name that is in the set; "" if none is.
static std::string partIn(const std::string &module, const FusedSet &set) {
  for (const std::string &part : set)
    if (module == part || module.ends_with("." + part)) return part;
  return "";
}

bool isInSet(const std::string &module, const FusedSet &set) { return !partIn(module, set).empty(); }

static std::string inSet(const std::string &module, const FusedSet &set) {
  const std::string part = partIn(module, set);
  return part.empty() ? "" : module.substr(0, module.size() - part.size()) + set.front() + "+";
}

/// A name whose only difference from its like is one word between underscores: q_proj, to_q, add_q_proj.
static std::string byWord(const std::string &module) {
  static const std::vector<std::string> kWords[] = {
      {"q", "k", "v"}, {"query", "key", "value"}, {"gate", "up"}};
  const size_t begin = module.rfind('.') + 1; // 0: no dot
  std::string result;
  for (const std::vector<std::string> &words : kWords) {
    size_t found = 0;
    std::string common = module.substr(0, begin);
    for (size_t at = begin; at <= module.size();) {
      const size_t end = std::min(module.find('_', at), module.size());
      const std::string word = module.substr(at, end - at);
      const bool isOne = std::ranges::find(words, word) != words.end();
      common += (at == begin ? "" : "_") + (isOne ? words.front() + "+" : word);
      found += isOne;
      at = end + 1;
    }
    if (found == 1) result = common;
  }
  return result;
}

std::string fusedModule(const std::string &module, std::span<const FusedSet> more) {
  static const FusedSet kSets[] = {
      {"w1", "w3"},                       // Mixtral, DeepSeek
      {"wq", "wk", "wv"},                 // Llama as Meta writes it
      {"q_a_proj", "kv_a_proj_with_mqa"}, // DeepSeek V3
      {"wq_a", "wkv_a", "wkv"},           // as DeepSeek writes it
      {"in_proj_qkv", "in_proj_z"},
      {"in_proj_b", "in_proj_a"}, // Qwen3-Next and 3.5
  };
  for (const std::span<const FusedSet> sets : {more, std::span<const FusedSet>(kSets)})
    for (const FusedSet &set : sets)
      if (std::string name = inSet(module, set); !name.empty()) return name;
  const std::string name = byWord(module);
  return name.empty() ? module : name;
}

} // namespace mxc
