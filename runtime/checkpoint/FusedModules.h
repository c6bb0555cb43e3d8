// Weights that inference multiplies as one matrix.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace mxc {

/// Last parts of modules' names, as somebody gives them: {"q_lin", "k_lin", "v_lin"}. Parts may have dots.
using FusedSet = std::vector<std::string>;

/// What a module has in common with those that readers multiply with it as one, and so give one tensor scale:
/// of attention q, k and v, of an MLP gate and up, and so on; `more` goes before what is known here. The
/// module's own name if there are none.
std::string fusedModule(const std::string &module, std::span<const FusedSet> more = {});

/// Whether the module is one of the set.
bool isInSet(const std::string &module, const FusedSet &set);

} // namespace mxc
