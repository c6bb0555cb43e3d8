#include "compiler/abi/AbiRecord.h"

#include "compiler/abi/CompiledKernel.h"
#include "dialect/formats/Error.h"

namespace mxc {

std::optional<std::string> recordOfAbiJson(const std::string &json, std::string &error) {
  try {
    return abiRecord(abiFromJson(json));
  } catch (const Error &problem) {
    error = problem.what();
    return std::nullopt;
  }
}

} // namespace mxc
