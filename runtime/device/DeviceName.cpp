#include "runtime/device/DeviceName.h"

#include "dialect/formats/Error.h"
#include "dialect/formats/TargetName.h"

#include <charconv>

namespace mxc {

DeviceName parseDeviceName(std::string_view text) {
  auto refuse = [&](std::string_view why) {
    throw Error(ErrorKind::Usage,
                "device '" + std::string(text) + "': " + std::string(why) +
                    "; expected cuda:N or simulator:sm_XXX, such as cuda:0 or simulator:sm_100a");
  };
  DeviceName name;
  size_t colon = text.find(':');
  if (colon == std::string_view::npos) refuse("no ':' in it");
  std::string_view kind = text.substr(0, colon), rest = text.substr(colon + 1);
  if (kind == "cuda") {
    const char *end = rest.data() + rest.size();
    auto [parsed, error] = std::from_chars(rest.data(), end, name.ordinal);
    if (error != std::errc() || parsed != end || name.ordinal < 0)
      refuse("'" + std::string(rest) + "' is no device number");
  } else if (kind == "simulator") {
    if (!TargetName::parse(rest)) refuse("'" + std::string(rest) + "' is no target");
    name.kind = DeviceName::Kind::Simulator;
    name.target = rest;
  } else {
    refuse("unknown kind '" + std::string(kind) + "'");
  }
  return name;
}

} // namespace mxc
