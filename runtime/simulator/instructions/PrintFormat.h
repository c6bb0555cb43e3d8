// printf in kernels: formats as the CUDA programming guide has them ("Formatted output"), by the host's
// snprintf.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace mxc::sim {

/// Where a format's values come from.
struct PrintSource {
  std::function<uint64_t(uint32_t bytes)> next; // the next argument, of 4 or 8 bytes
  std::function<std::string(uint64_t address)> text;
};

struct PrintedFormat {
  std::string text;
  int arguments = 0; // that it took
};

/// Widths and precisions end at 65536; what is no conversion, and all beyond 32 arguments, is printed as it
/// stands.
PrintedFormat printFormat(std::string_view format, const PrintSource &from);

} // namespace mxc::sim
