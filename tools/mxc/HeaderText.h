// A C++ header that holds an image and a class for each of its kernels, over mxc/mxc.hpp.
#pragma once

#include "compiler/abi/CompiledKernel.h"

#include <string>
#include <string_view>
#include <vector>

namespace mxc {

/// The kernels are those of the first record; the others, of further targets, differ in variants alone.
/// `base` names the image, `source` is what the head says it was made from. Names that C++ does not take get
/// underscores.
std::string headerText(const std::string &base, const std::string &source, std::string_view image,
                       const std::vector<ModuleAbi> &records);

} // namespace mxc
