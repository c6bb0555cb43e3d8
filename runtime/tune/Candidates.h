// The candidates: a kernel compiled with every tile by every assembler.
#pragma once

#include "compiler/Compiler.h"
#include "runtime/jit/KernelCache.h"
#include "runtime/launch/Kernel.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mxc::tune {

struct Candidate {
  std::string tile;      // as --tile takes it; "": the operation has none
  std::string assembler; // "nvjitlink", "ptxas"; "auto" where the driver takes no machine code
  std::string refusal;   // why it does not compete: the compiler's or the driver's words; ""
  std::optional<Kernel> kernel = {};
};

struct CandidateOptions {
  std::vector<Assembler> assemblers; // none: all at hand
  std::optional<KernelCache> cache = KernelCache::ofUser();
  unsigned threads = 0; // that compile; 0: as many as the machine has
  /// Receives how many of them are compiled; never from two threads at once.
  std::function<void(size_t done, size_t total)> progress = {};
};

struct Candidates {
  std::string kernel, text;      // KernelTiles
  std::vector<Candidate> all;    // the chip's order; refused ones among them
  std::optional<Kernel> untuned; // what the heuristics choose: the reference
};

/// Compiles the source's kernel of that name; "" is enough if there is only one. Throws mxc::Error for a
/// faulty source, a kernel that is not there, and tiles that its author wrote down.
Candidates candidatesOf(const Device &device, std::string_view source, const std::string &sourceName,
                        const std::string &kernel, const CandidateOptions &options = {});

} // namespace mxc::tune
