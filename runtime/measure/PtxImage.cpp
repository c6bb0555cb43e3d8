#include "runtime/measure/PtxImage.h"

#include "compiler/abi/Version.h"
#include "dialect/formats/BlockScale.h"

namespace mxc::measure {

std::string ptxImage(const std::string &version, const std::string &target, const KernelAbi &kernel,
                     const std::string &entries) {
  ModuleAbi module;
  module.compilerVersion = kVersion;
  module.numericsVersion = kNumericsVersion;
  module.target = target;
  module.kernels = {kernel};
  const std::string record = abiRecord(module);
  std::string image = ".version " + version + "\n.target " + target + "\n.address_size 64\n\n" +
                      ".visible .global .align 16 .b8 __mxc_abi[" + std::to_string(record.size()) + "] = {";
  for (size_t i = 0; i < record.size(); ++i)
    image += (i ? ", " : "") + std::to_string(static_cast<unsigned char>(record[i]));
  return image + "};\n\n" + entries;
}

} // namespace mxc::measure
