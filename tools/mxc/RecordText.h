// An ABI record as people read it.
#pragma once

#include "compiler/abi/CompiledKernel.h"

#include "tools/mxc/CubinResources.h"

#include <string>

namespace mxc {

enum class RecordDetail {
  Short, // what a host must know: operation, arguments, tiles and when each is launched
  All,   // launches, budgets, work and internal workspaces too
};

/// `resources`: of its entries, where the image holds machine code.
std::string recordText(const ModuleAbi &record, const CubinResources &resources, RecordDetail detail);

} // namespace mxc
