// A folder that appears whole or not at all.
#pragma once

#include <string>
#include <sys/types.h>

namespace mxc {

/// What is written appears under a folder's name with commit(), by one rename: until then it lies in a hidden
/// folder beside it, ".NAME.mxc-partial". Whoever writes the folder holds that one, so that a second writer
/// is refused; what a writer that was killed left there, the next one clears away.
class OutputFolder {
public:
  /// Throws mxc::Error (InvalidInput), "cannot write <path>: ...", unless `path` is an empty folder or none,
  /// which a rename can replace (no mount point, nor the folder that the process is in), and nobody else
  /// writes it.
  explicit OutputFolder(const std::string &path);
  ~OutputFolder(); // without commit(): nothing remains
  OutputFolder(const OutputFolder &) = delete;
  OutputFolder &operator=(const OutputFolder &) = delete;

  const std::string &hidden() const { return hidden_; } // where its files are to be written
  const std::string &target() const { return target_; } // the folder's own place, absolute

  void commit();

private:
  void checkTarget() const;
  void hold();
  bool tryHold();
  [[noreturn]] void fail(const std::string &why) const;

  std::string path_, target_, hidden_;
  int descriptor_ = -1; // of the hidden folder: its lock
  bool isHeld_ = false; // by this writer, who clears it away
};

} // namespace mxc
