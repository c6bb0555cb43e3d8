// Programs of the CUDA toolkit, run on files in memory: nothing is left on a disk, whatever ends the process.
#pragma once

#include "compiler/codegen/ToolProcess.h"

#include <string>
#include <vector>

namespace mxc {

/// A file without a folder that other programs open by its path, while this lives.
class MemoryFile {
public:
  explicit MemoryFile(const std::string &content = {});
  ~MemoryFile();
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  const std::string &error() const { return error_; } // empty: fine
  std::string path() const;                           // "/proc/PROCESS/fd/N"
  std::string read(size_t most = size_t(-1));         // the beginning of it, or nothing and error()

private:
  int descriptor_ = -1;
  std::string error_;
};

/// Runs a program and returns its exit status; `output` gets the first 64 KB that it printed. Negative: it
/// did not run, crashed, or did not keep to its bounds.
int runTool(const std::string &program, const std::vector<std::string> &arguments, std::string &output,
            const ToolBounds &bounds = {});

/// Writes `content` to a new file that stays, and returns its path (or a placeholder where even that fails).
std::string keepForReproduction(const std::string &content, const std::string &suffix);

} // namespace mxc
