#include "tools/mxc/ProgressLine.h"

#include "dialect/formats/PrintableText.h"

#include <cstdio>
#include <unistd.h>

namespace mxc {

// Back to the line's start, and the rest of it cleared: ECMA-48, EL.
static constexpr const char *kFresh = "\r\x1b[K";

ProgressLine::ProgressLine() : isTerminal_(isatty(STDERR_FILENO)) {}

ProgressLine::~ProgressLine() {
  if (isTerminal_) std::fputs(kFresh, stderr);
}

void ProgressLine::show(const std::string &what, size_t done, size_t total) {
  if (!isTerminal_) return;
  std::fprintf(stderr, "%s%s", kFresh, printable(progressText(what, done, total)).c_str());
  std::fflush(stderr);
}

std::string progressText(const std::string &what, size_t done, size_t total) {
  constexpr size_t kWidth = 24;
  const size_t filled = total ? kWidth * done / total : kWidth;
  return "[" + std::string(filled, '#') + std::string(kWidth - filled, '.') + "] " + std::to_string(done) +
         "/" + std::to_string(total) + " " + what;
}

} // namespace mxc
