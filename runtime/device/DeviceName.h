// How a device is named on a command line.
#pragma once

#include <string>
#include <string_view>

namespace mxc {

struct DeviceName {
  enum class Kind { Cuda, Simulator } kind = Kind::Cuda;
  int ordinal = 0;    // kind == Cuda: "cuda:0"
  std::string target; // kind == Simulator: "sm_100a" of "simulator:sm_100a"
};

/// Throws mxc::Error (Usage) unless `text` is "cuda:N" or "simulator:sm_XXX[a|f]".
DeviceName parseDeviceName(std::string_view text);

} // namespace mxc
