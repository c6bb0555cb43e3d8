// What cuModuleLoadData is given: PTX text, or a fatbin with PTX among its entries.
#pragma once

#include "runtime/simulator/driver/Chips.h"

#include <cuda.h>

#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace mxc::sim {

/// Why an image cannot be used: the code that the call returns, and what goes to the error log.
struct ImageError : std::exception {
  ImageError(CUresult result, std::string log) : result(result), log(std::move(log)) {}
  CUresult result;
  std::string log;
  const char *what() const noexcept override { return log.c_str(); }
};

/// An image in the caller's memory. Its format tells where it ends: text at a NUL, a fatbin by its header.
struct Image {
  explicit Image(const void *start) : start(static_cast<const char *>(start)) {}
  /// A file's: with a NUL after it, and without pointers into memory.
  explicit Image(const std::string &file) : start(file.c_str()), bytes(file.size()) {}
  const char *start;
  std::optional<uint64_t> bytes;
};

/// The PTX texts of an image. Throws ImageError: INVALID_IMAGE, NO_BINARY_FOR_GPU for machine code (a cubin,
/// or a fatbin of nothing else).
std::vector<std::string> ptxOf(const Image &image);

/// The text for this chip: the most specific target, then the latest. Throws ImageError (NO_BINARY_FOR_GPU).
const std::string &chosenPtx(const std::vector<std::string> &texts, const Chip &chip);

/// "sm_100a" of the text's `.target`; "" if there is none.
std::string targetOfPtx(std::string_view ptx);

} // namespace mxc::sim
