// The kernel that mxc run was given: MLIR to compile, or an image.
#pragma once

#include "compiler/reference/PrologueEvaluator.h"
#include "runtime/files/FileBytes.h"
#include "runtime/launch/Module.h"
#include "tools/mxc/KernelSource.h"

#include <span>
#include <string>

namespace mxc {

class KernelFile {
public:
  /// Throws mxc::Error: InvalidInput if the file cannot be read or is an image without a record; Usage for a
  /// tile and an image.
  static KernelFile read(const std::string &path, const std::string &tile);

  bool isImage() const { return isImage_; }

  /// The kernel's ABI without a device, of the first of `targets` (at least one) that takes the source; its
  /// arguments are the same for all. "" where there is but one kernel. Throws mxc::Error (InvalidInput): what
  /// the source is at fault of, a name that is not there.
  KernelAbi abi(const std::string &kernelName, std::span<const std::string> targets) const;

  /// MLIR only.
  std::optional<Prologue> prologue(const std::string &kernelName) const;

  /// Compiled for the device where it is MLIR: to a cubin, or, without a CUDA toolkit and for the simulator,
  /// to PTX that the driver finishes; or found in the kernel cache; by what was tuned, where one may.
  /// Warnings go to standard error.
  Module load(const Device &device, bool useCache, bool useTuning) const;

private:
  std::string path_, tile_;
  FileBytes file_;
  KernelSource source_;
  bool isImage_ = false;
};

} // namespace mxc
