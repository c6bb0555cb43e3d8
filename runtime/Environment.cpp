#include "runtime/Environment.h"

#include <cstdlib>

namespace mxc {

static constexpr EnvironmentEntry kVariables[] = {
    {EnvironmentVariable::LibCuda, "MXC_LIBCUDA",
     "shared library that the CUDA driver's functions are taken from (default libcuda.so.1)"},
};

std::span<const EnvironmentEntry> environmentVariables() { return kVariables; }

std::optional<std::string> environment(EnvironmentVariable variable) {
  for (const EnvironmentEntry &entry : kVariables) {
    if (entry.variable != variable) continue;
    const char *value = std::getenv(entry.name);
    if (value && *value) return value;
  }
  return std::nullopt;
}

} // namespace mxc
