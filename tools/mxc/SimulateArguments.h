// The --arg words of mxc simulate: values and buffers.
#pragma once

#include "runtime/simulator/decode/LoadedModule.h"
#include "runtime/simulator/run/Engine.h"

#include <string>
#include <vector>

namespace mxc {

class SimulateArguments {
public:
  /// Allocates the buffers and packs the parameters. Throws mxc::Error: Usage for words that are none, or too
  /// few or many; InvalidInput for files that cannot be read; Device where they take more of the host's
  /// memory than `budget`.
  SimulateArguments(const std::vector<std::string> &words, const sim::KernelFacts &facts,
                    sim::GlobalMemory &memory, const std::string &ptx, uint64_t budget);

  const std::vector<std::byte> &parameters() const { return parameters_; }
  /// checkOutputs of theirs, each beside the `others` of the command: none is the PTX file or an input.
  void checkFiles(const std::vector<std::string> &others) const;
  void writeOutputs(const sim::GlobalMemory &memory) const; // throws mxc::Error (InvalidInput)

private:
  struct Output {
    std::string file;
    uint64_t address, bytes;
    bool isRead; // inout
  };
  uint64_t buffer(const std::string &word, sim::GlobalMemory &memory);

  uint64_t budget_;
  std::vector<std::byte> parameters_;
  std::vector<Output> outputs_;
  std::vector<std::string> inputs_; // files that are read: no output goes there
};

} // namespace mxc
