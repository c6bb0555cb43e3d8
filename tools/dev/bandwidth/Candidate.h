// A kernel of a cubin that mxc compiled, as a program to be timed.
#pragma once

#include "runtime/Kernel.h"
#include "tools/dev/bandwidth/Program.h"

namespace mxc::bandwidth {

/// `text` is "FILE" or "FILE:KERNEL"; without a name the file must hold one kernel.
Kernel loadKernel(const Device &device, const std::string &text);

/// The kernel on a matrix of rows x columns elements: those of its first row-major argument. Throws
/// mxc::Error (InvalidInput) if the kernel cannot take that shape.
Program candidate(const Kernel &kernel, const std::string &name, int64_t rows, int64_t columns);

} // namespace mxc::bandwidth
