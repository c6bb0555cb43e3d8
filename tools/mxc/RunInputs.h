// The tensors of files as a kernel's inputs, checked without a device.
#pragma once

#include "compiler/reference/KernelReference.h"
#include "runtime/files/Safetensors.h"
#include "runtime/launch/ArgumentShapes.h"

namespace mxc {

/// One of the files that --input names.
struct InputFile {
  std::string name;
  TensorFile content;
};
/// Reads each of them; throws as TensorFile::read does.
std::vector<InputFile> readInputFiles(const std::vector<std::string> &names);

struct RunInputs {
  Dimensions dimensions;
  HostTensors tensors; // every input's bytes; they point into the files
  Arguments scalars;   // every scalar argument's value
  Prologue::ScalarValues scalarValues() const;

  /// Binds by name. Throws mxc::Error (InvalidInput): a tensor is missing (with what the files hold) or is in
  /// two of them, has another type or shape than the kernel takes, a dimension follows from none of them, or
  /// a scalar is not given. Tensors that are no input are warned of on standard error.
  static RunInputs bind(const KernelAbi &kernel, std::span<const InputFile> files, const Dimensions &given,
                        const Arguments &scalars);
};

/// "alpha=0.5" and "n=3" texts as numbers. Throws mxc::Error (Usage).
Arguments parseScalars(const std::vector<std::string> &texts);

/// The safetensors type in which an argument is written: U8 for scales.
std::string safetensorsTypeOf(const AbiArgument &argument);

} // namespace mxc
