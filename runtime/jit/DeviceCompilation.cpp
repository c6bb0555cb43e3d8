#include "runtime/jit/DeviceCompilation.h"

#include "compiler/CompilerIdentity.h"
#include "compiler/targets/Target.h"
#include "dialect/formats/Error.h"

namespace mxc {

std::string targetFor(const Device &device) {
  std::string names;
  for (const std::string &target : device.targetsAccepted()) {
    if (targetNamed(target)) return target;
    names += (names.empty() ? "" : ", ") + target;
  }
  throw Error(ErrorKind::Device, device.name() + " is " + device.model() + ", which takes " + names +
                                     ": mxc compiles for none of these");
}

bool takesCubins(const Device &device, const CompileOptions &options) {
  return device.driver().takesCubins && hasAssembler(options.assembler);
}

CompileResult compileFor(const Device &device, CompileOptions options, const Compile &compile) {
  options.targets = {targetFor(device)};
  options.stage = Stage::Cubin;
  if (takesCubins(device, options)) {
    try {
      return compile(options);
    } catch (const Error &error) {
      if (error.kind() != ErrorKind::Device) throw;
    }
  }
  options.stage = Stage::Ptx;
  return compile(options);
}

CompileResult compileFor(const Device &device, std::string_view source, std::string_view sourceName,
                         CompileOptions options) {
  return compileFor(device, std::move(options),
                    [&](const CompileOptions &chosen) { return compile(source, sourceName, chosen); });
}

} // namespace mxc
