#include "tools/mxc/VerificationReport.h"

#include "dialect/formats/Error.h"

namespace mxc {

static std::string grouped(int64_t number) { // 1,048,576
  std::string text = std::to_string(number);
  for (int64_t i = static_cast<int64_t>(text.size()) - 3; i > 0; i -= 3)
    text.insert(static_cast<size_t>(i), ",");
  return text;
}

static void throwIfWrong(const std::vector<OutputComparison> &outputs) {
  std::string text;
  for (const OutputComparison &output : outputs) {
    if (output.wrong == 0) continue;
    text += (text.empty() ? "" : "\n") + output.name + ": " + grouped(output.wrong) + " of " +
            grouped(output.elements) + " elements are wrong";
    for (const std::string &difference : output.firstWrong)
      text += "\n  " + difference;
    if (output.wrong > static_cast<int64_t>(output.firstWrong.size())) text += "\n  ...";
  }
  if (!text.empty()) throw Error(ErrorKind::InvalidInput, "verification failed\n" + text);
}

std::string verificationReport(const std::vector<OutputComparison> &outputs,
                               const std::optional<ToleranceRule> &tolerance) {
  throwIfWrong(outputs);
  std::string text;
  for (const OutputComparison &output : outputs) {
    text += (text.empty() ? "verified: " : ", ") + output.name + " " + grouped(output.bytes) + " bytes";
    if (tolerance && output.different == 0) text += " (bit for bit the reference's)";
    if (tolerance && output.different)
      text += " (" + grouped(output.different) + " of " + grouped(output.elements) +
              " elements are rounded differently from the reference, as they may be)";
  }
  return text + (tolerance ? " within " + tolerance->name : " identical");
}

} // namespace mxc
