// A folder for the files of an external tool, removed at the end.
#pragma once

#include <string>
#include <vector>

namespace mxc {

class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  const std::string &error() const { return error_; } // empty: fine
  bool write(const std::string &name, const std::string &content);
  std::string read(const std::string &name) const; // empty when it cannot be read

  /// Runs a program; arguments that are names of files in here, or end in "=name", are given their whole
  /// path. Returns its exit status (negative: it did not run); `output` gets what it printed.
  int run(const std::string &program, const std::vector<std::string> &arguments, std::string &output);

private:
  std::string path(const std::string &name) const;
  std::string folder_, error_;
};

/// Writes `content` to a new file that stays, and returns its path (or a placeholder where even that fails).
std::string keepForReproduction(const std::string &content, const std::string &suffix);

} // namespace mxc
