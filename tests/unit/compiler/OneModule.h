// PTX of a whole module on one thread: what entries side by side are to give, too.
#pragma once

#include <string>

/// Returns the PTX of NVVM-level text; empty after a printed error.
std::string ptxOfOneModule(const std::string &nvvm, const std::string &target);
