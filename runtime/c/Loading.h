// What libmxc and libmxc_runtime do differently; each has its own file with these functions.
#pragma once

#include "runtime/c/mxc/mxc.h"
#include "runtime/launch/Module.h"

#include <memory>
#include <string>
#include <string_view>

namespace mxc::c {

/// Loads sources and images onto a device, each once. Any thread may use it.
class Loader {
public:
  virtual ~Loader() = default;
  virtual Module load(std::string_view content, const std::string &name, const std::string &tile) = 0;
};

bool hasCompiler();
/// Opens a device of a kind that this library has, and lets a simulator run as the options say.
Device opened(const char *name, const mxc_engine_options &options);
std::unique_ptr<Loader> makeLoader(const Device &device, const mxc_engine_options &options);
/// Does what mxc_tuning_import does; null stands for the user's database.
void importTuning(const std::string &bundle, const char *database);
/// What mxc_engine_joins_parts says.
bool joinsParts(const Device &device, int64_t rows, int64_t groups, bool areCodesAlongRows);
/// Returns what mxc_compile gives.
std::string compiled(std::string_view source, const mxc_compile_options &options);

} // namespace mxc::c
