// Compiles for a device at hand: chooses the target, and a cubin or PTX.
#pragma once

#include "compiler/Compiler.h"
#include "runtime/device/Device.h"

#include <functional>
#include <string>
#include <string_view>

namespace mxc {

/// Returns the most specific target that the device takes and the compiler knows. If there is none, throws
/// mxc::Error (Device) with what the device takes.
std::string targetFor(const Device &device);

/// Returns whether compileFor tries a cubin first.
bool takesCubins(const Device &device, const CompileOptions &options);

/// Compiles a source in place of mxc::compile.
using Compile = std::function<CompileResult(const CompileOptions &)>;

/// Calls `compile` with `options`, except that the device sets targets and stage: a cubin, or PTX for the
/// driver to finish if the driver takes no cubins (the simulator) or no CUDA toolkit is found. Throws what
/// targetFor and `compile` throw.
CompileResult compileFor(const Device &device, CompileOptions options, const Compile &compile);

/// Does the same with a source, which messages call `sourceName`.
CompileResult compileFor(const Device &device, std::string_view source, std::string_view sourceName,
                         CompileOptions options = {});

} // namespace mxc
