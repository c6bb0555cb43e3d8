#include "dialect/formats/TargetName.h"

namespace mxc {

std::string TargetName::text() const {
  std::string text = "sm_" + std::to_string(number);
  if (suffix) text += suffix;
  return text;
}

} // namespace mxc
