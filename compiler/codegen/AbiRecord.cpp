#include "compiler/codegen/AbiRecord.h"

#include "compiler/CompiledKernel.h"

namespace mxc {

std::string recordOfAbiJson(const std::string &json) { return abiRecord(abiFromJson(json)); }

} // namespace mxc
