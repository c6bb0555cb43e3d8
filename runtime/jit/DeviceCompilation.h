// Compiling for a device at hand: which target, and a cubin or PTX.
#pragma once

#include "compiler/Compiler.h"
#include "runtime/device/Device.h"

#include <functional>
#include <string>
#include <string_view>

namespace mxc {

/// The most specific target that the device takes and the compiler knows. Throws mxc::Error (Device) with
/// what it takes if there is none.
std::string targetFor(const Device &device);

/// How a source is compiled, where not by mxc::compile itself.
using Compile = std::function<CompileResult(const CompileOptions &)>;

/// `compile` for the device, with `options` but for targets and stage: to a cubin, or to PTX, which the
/// driver finishes, where the driver takes no cubins (the simulator) or no CUDA toolkit is found. Throws what
/// targetFor and `compile` throw.
CompileResult compileFor(const Device &device, CompileOptions options, const Compile &compile);

/// The same of a source, which `sourceName` stands for in messages.
CompileResult compileFor(const Device &device, std::string_view source, std::string_view sourceName,
                         CompileOptions options = {});

} // namespace mxc
