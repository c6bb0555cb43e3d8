// A line on a terminal that moves.
#pragma once

#include <cstddef>
#include <string>

namespace mxc {

/// On standard error; silent where that is no terminal. Gone when it goes.
class ProgressLine {
public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

  bool isShown() const { return isTerminal_; }
  void show(const std::string &what, size_t done, size_t total);

private:
  bool isTerminal_;
};

/// "[######......] 4/8 what": the bar as wide as it always is.
std::string progressText(const std::string &what, size_t done, size_t total);

} // namespace mxc
