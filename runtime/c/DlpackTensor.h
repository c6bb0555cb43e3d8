// Tensors that come and go as DLPack tensors.
#pragma once

#include "runtime/c/Dlpack.h"
#include "runtime/device/Buffer.h"
#include "runtime/launch/Kernel.h"

#include <memory>
#include <span>
#include <string>

namespace mxc::c {

/// Whether a tensor of that device lies in the memory of ours.
bool isMemoryOf(const Device &device, DLDevice found);

/// Returns the name of an element type as the kernel's argument has it, null: no kernel takes these. Bytes
/// take the type of the argument if that has 8 bits: not every library has names for these.
const char *elementNameOf(DLDataType type, const AbiArgument *argument);

/// Returns the tensor as the kernel's argument `name` takes it. Throws mxc::Error (InvalidInput), naming
/// argument, expected and found, for a version other than 1, memory that is not the kernel's device's, an
/// element type that no kernel takes, a tensor that may only be read for an output.
TensorView tensorOfDlpack(const DLManagedTensorVersioned &tensor, const Kernel &kernel,
                          const std::string &name);

/// Returns a contiguous tensor that holds `buffer` until its deleter is called. Throws mxc::Error
/// (InvalidInput) if the type or shape is not valid, or takes more bytes than there are.
DLManagedTensorVersioned *dlpackOf(std::shared_ptr<Buffer> buffer, const std::string &type,
                                   std::span<const int64_t> shape);

} // namespace mxc::c
