// The launches that mxc compile is told of by --shape.
#pragma once

#include "compiler/Compiler.h"

#include <string>
#include <vector>

namespace mxc {

/// Returns, for each shape, the launches of that shape on each chip that code for the targets runs on: with
/// as many multiprocessors as the simulated chip has, unless the shape says SMs=N. `kernels` have the
/// dimensions. Throws mxc::Error (Usage): a shape that no kernel takes.
std::vector<ExpectedLaunch> launchesOf(const std::vector<KernelAbi> &kernels,
                                       const std::vector<std::string> &shapes,
                                       const std::vector<std::string> &targets);

} // namespace mxc
