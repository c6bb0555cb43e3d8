// A table of choices that travels: from the machine that tuned to those that never will.
#pragma once

#include "runtime/jit/TuningDatabase.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mxc::tune {

std::string bundleText(std::span<const TunedRow> rows); // JSON

/// Any text is safe to pass. Throws mxc::Error (InvalidInput) with what is missing or ill-typed, `name`
/// before it.
std::vector<TunedRow> bundleRows(std::string_view text, const std::string &name);

/// Reads a bundle's file and stores what is in it. Throws mxc::Error (InvalidInput) as bundleRows does.
struct Imported {
  size_t rows = 0;
  std::string problem; // as TuningDatabase::store says it
};
Imported importBundle(const std::string &path, const TuningDatabase &database);

} // namespace mxc::tune
