// A model's tensors: one safetensors file, or the shards of a folder.
#pragma once

#include "runtime/files/Safetensors.h"

#include <map>
#include <string>
#include <vector>

namespace mxc {

struct CheckpointShard {
  std::string name; // of the file, without its folder
  std::string path;
  TensorFile file; // mapped
};

struct CheckpointTensor {
  size_t shard = 0;
  const Tensor *tensor = nullptr;
};

class Checkpoint {
public:
  /// Opens a .safetensors file; a .safetensors.index.json, whose shards lie beside it; or a folder, with such
  /// an index or without. Throws mxc::Error (InvalidInput): what TensorFile::map throws; an index that is
  /// ill-formed, names a shard that is not there or a tensor that its shard does not hold; a tensor that is
  /// in two shards; a folder without a .safetensors file.
  static Checkpoint open(const std::string &path);

  const std::string &path() const { return path_; }     // as messages call it
  const std::string &folder() const { return folder_; } // "": one file
  const std::string &index() const { return index_; }   // the index's name in the folder; "": there is none
  const std::vector<CheckpointShard> &shards() const { return shards_; }
  const std::map<std::string, CheckpointTensor, std::less<>> &tensors() const { return tensors_; }
  const CheckpointTensor *find(std::string_view name) const; // null if there is none
  /// Gives back the memory of a part of a tensor's data, which will not be read again soon.
  void release(std::span<const std::byte> part) const;

private:
  void openFolder(const std::string &index);
  void addShard(const std::string &name, const std::string &path);

  std::string path_, folder_, index_;
  std::vector<CheckpointShard> shards_;
  std::map<std::string, CheckpointTensor, std::less<>> tensors_;
};

inline constexpr std::string_view kIndexName = "model.safetensors.index.json";

} // namespace mxc
