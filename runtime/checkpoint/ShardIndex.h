// model.safetensors.index.json: which shard holds which tensor.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace mxc {

/// Tensors by the shards that an index places them in. Throws mxc::Error (InvalidInput), prefixed with
/// `path`, unless the file is {"weight_map": {tensor: file}} beside whatever else, each file a name without a
/// folder, and no key stands there twice. Text that is hostile costs no more than its length.
std::map<std::string, std::vector<std::string>> readShardIndex(const std::string &path);

} // namespace mxc
