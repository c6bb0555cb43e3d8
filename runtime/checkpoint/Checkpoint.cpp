#include "runtime/checkpoint/Checkpoint.h"

#include "dialect/formats/Error.h"
#include "runtime/checkpoint/ShardIndex.h"
#include "runtime/files/FolderEntries.h"

#include <algorithm>
#include <filesystem>

namespace fs = std::filesystem;

namespace mxc {

static Error invalid(const std::string &message) { return Error(ErrorKind::InvalidInput, message); }

static std::vector<std::string> namesIn(const std::string &folder, std::string_view end) {
  std::vector<std::string> names = entriesOf(folder);
  std::erase_if(names, [&](const std::string &name) { return !name.ends_with(end); });
  return names;
}

/// The name of a folder's index; "" if it has none. Where there are several, it is the one that language
/// models have.
static std::string indexIn(const std::string &folder) {
  const std::vector<std::string> names = namesIn(folder, ".safetensors.index.json");
  if (names.size() <= 1) return names.empty() ? "" : names.front();
  if (std::ranges::find(names, kIndexName) == names.end())
    throw invalid(folder + ": expected one index, found " + names[0] + " and " + names[1] +
                  ": name one of them");
  return std::string(kIndexName);
}

Checkpoint Checkpoint::open(const std::string &path) {
  Checkpoint checkpoint;
  checkpoint.path_ = path;
  std::error_code unknown;
  if (fs::is_directory(path, unknown)) {
    checkpoint.folder_ = path;
    checkpoint.openFolder(indexIn(path));
  } else if (path.ends_with(".index.json")) {
    const fs::path folder = fs::path(path).parent_path();
    checkpoint.folder_ = folder.empty() ? "." : folder.string();
    checkpoint.openFolder(fs::path(path).filename());
  } else {
    checkpoint.addShard(fs::path(path).filename(), path);
  }
  return checkpoint;
}

void Checkpoint::openFolder(const std::string &index) {
  index_ = index;
  const fs::path folder = folder_;
  if (index.empty()) {
    const std::vector<std::string> names = namesIn(folder_, ".safetensors");
    if (names.empty()) throw invalid(folder_ + ": expected a folder with .safetensors files, found none");
    for (const std::string &name : names)
      addShard(name, folder / name);
    return;
  }
  for (const auto &[shard, tensors] : readShardIndex(folder / index)) {
    const std::string path = folder / shard;
    std::error_code unknown; // which opening it tells
    if (!fs::exists(path, unknown) && !unknown)
      throw invalid((folder / index).string() + ": shard '" + shard + "', of tensor '" + tensors.front() +
                    "', is not there");
    addShard(shard, path);
    for (const std::string &tensor : tensors)
      if (!shards_.back().file.find(tensor))
        throw invalid((folder / index).string() + ": tensor '" + tensor + "': its shard '" + shard +
                      "' does not hold it");
  }
}

void Checkpoint::addShard(const std::string &name, const std::string &path) {
  shards_.push_back({name, path, TensorFile::map(path)});
  for (const auto &[tensor, content] : shards_.back().file.tensors()) {
    const auto [other, isNew] = tensors_.insert({tensor, {shards_.size() - 1, &content}});
    if (!isNew)
      throw invalid(path_ + ": tensor '" + tensor + "' is in two shards, '" +
                    shards_[other->second.shard].name + "' and '" + name + "'");
  }
}

void Checkpoint::release(std::span<const std::byte> part) const {
  for (const CheckpointShard &shard : shards_) // all but one leave it alone
    shard.file.release(part);
}

const CheckpointTensor *Checkpoint::find(std::string_view name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

} // namespace mxc
