// Converts a checkpoint, a slab of rows at a time.
#pragma once

#include "runtime/checkpoint/ConversionPlan.h"
#include "runtime/checkpoint/RowConverter.h"

#include <functional>

namespace mxc {

struct ConversionOptions {
  int64_t slabElements = 1 << 24; // converted at once, or a row, if it has more
  /// What is under way, and how many bytes of all that are read have been.
  std::function<void(const std::string &tensor, uint64_t bytes, uint64_t ofBytes)> progress = {};
};

struct ConversionResult {
  uint64_t bytesRead = 0, bytesWritten = 0; // of tensors
  std::vector<std::string> leftOut; // of the folder's other files, each with a word why (OtherFiles.h)
};

/// Writes the converted checkpoint to `output`: a file for a file, and for a folder of shards a folder, which
/// must be empty or not there: shards of the same names, their index, the configuration
/// (QuantizationConfig.h), and everything else of the folder that holds no weights. Memory holds some slabs,
/// whatever the size of the tensors. A file or a folder appears when it is whole, or not at all. Throws
/// mxc::Error (InvalidInput): in a weight that is quantized NaN, infinity or a number that would read back as
/// one, with its place; whatever keeps files from being read or written; and what `converter` throws.
ConversionResult convertCheckpoint(const Checkpoint &checkpoint, const ConversionPlan &plan,
                                   const std::string &output, RowConverter &converter,
                                   const ConversionOptions &options);

} // namespace mxc
