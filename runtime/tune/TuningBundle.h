// A table of choices that travels from the machine that tuned to those that never will.
#pragma once

#include "runtime/jit/TuningDatabase.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mxc::tune {

std::string bundleText(std::span<const TunedRow> rows); // JSON

/// Parses a bundle; any text is safe to pass. Throws mxc::Error (InvalidInput) with `name` and what is
/// missing or ill-typed.
std::vector<TunedRow> bundleRows(std::string_view text, const std::string &name);

/// The result of reading a bundle's file and storing what is in it, which throws mxc::Error (InvalidInput) as
/// bundleRows does.
struct Imported {
  size_t rows = 0;
  std::string problem; // as TuningDatabase::store says it
};
Imported importBundle(const std::string &path, const TuningDatabase &database);

} // namespace mxc::tune
