// What a function holds, put aside while it is called again: registers and local memory of all lanes. What it
// returns, on the way to its caller.
#pragma once

#include "runtime/simulator/machine/Warp.h"

namespace mxc::sim {

struct SavedFunction {
  explicit SavedFunction(HostBudget &budget) : held(budget) {}
  HeldBytes held;
  std::vector<std::byte> bytes;
};

/// Throws FaultError (Limit) where the budget does not hold it.
std::shared_ptr<const SavedFunction> saveFunction(Warp &warp, const FunctionPlace &function);
void restoreFunction(Warp &warp, const FunctionPlace &function,
                     const SavedFunction &saved); // of warp.mask's lanes

/// For warp.mask's lanes: what is passed, out of its places, and into those of the other side, which have as
/// many bytes.
std::vector<std::byte> takeParameters(Warp &warp, const std::vector<ParameterPlace> &places);
void giveParameters(Warp &warp, const std::vector<ParameterPlace> &places,
                    const std::vector<std::byte> &values);

std::byte *laneBytes(Warp &warp, const ParameterPlace &place, int lane);

} // namespace mxc::sim
