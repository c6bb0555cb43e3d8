// What lies in a checkpoint's folder beside its tensors.
#pragma once

#include "runtime/checkpoint/Checkpoint.h"

#include <string>
#include <vector>

namespace mxc {

/// Paths in the folder; those of folders end in a slash.
struct OtherFiles {
  std::vector<std::string> copied;  // a folder stands before what it holds
  std::vector<std::string> leftOut; // each with a word why: "pytorch_model.bin (weights)"
};

/// Tokenizers, generation's settings, code, licences and folders of such. Left out are weights that the
/// conversion does not read, folders that hold some, hidden folders, links to folders, and what is no regular
/// file. Not among either: shards, index, configuration (which are made anew) and `output`, a path. Throws
/// mxc::Error (InvalidInput) for a file that cannot be read: before any work is done.
OtherFiles otherFilesOf(const Checkpoint &checkpoint, const std::string &output);

} // namespace mxc
