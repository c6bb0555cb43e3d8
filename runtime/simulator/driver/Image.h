// What cuModuleLoadData is given: PTX text, or a fatbin with PTX among its entries.
#pragma once

#include "runtime/simulator/driver/Chips.h"

#include <cuda.h>

#include <exception>
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

/// The PTX texts of an image whose end its format tells: text ends at a NUL, a fatbin by its header. Throws
/// ImageError: INVALID_IMAGE, NO_BINARY_FOR_GPU for machine code (a cubin, or a fatbin of nothing else).
std::vector<std::string> ptxOf(const void *image);

/// The text for this chip: the most specific target, then the latest. Throws ImageError (NO_BINARY_FOR_GPU).
const std::string &chosenPtx(const std::vector<std::string> &texts, const Chip &chip);

/// "sm_100a" of the text's `.target`; "" if there is none.
std::string targetOfPtx(std::string_view ptx);

} // namespace mxc::sim
