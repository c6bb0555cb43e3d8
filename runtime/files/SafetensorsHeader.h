// The JSON header of a safetensors file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mxc {

struct SafetensorsEntry {
  std::string dtype;
  std::vector<int64_t> shape;
  uint64_t begin = 0, end = 0; // bytes from the end of the header
};

struct SafetensorsHeader {
  std::map<std::string, SafetensorsEntry> tensors;
  std::map<std::string, std::string> metadata;
};

/// Reads the header. Throws mxc::Error (InvalidInput), prefixed with `file`, unless `json` is {"name":
/// {"dtype", "shape", "data_offsets"}, ..., "__metadata__": {string: string}} with no key repeated, missing,
/// unknown or ill-typed. The form bounds depth and the size of numbers, so hostile text costs no more than
/// its length.
SafetensorsHeader parseSafetensorsHeader(std::string_view json, const std::string &file);

} // namespace mxc
