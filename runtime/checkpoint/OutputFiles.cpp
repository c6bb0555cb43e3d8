#include "runtime/checkpoint/OutputFiles.h"

#include "dialect/formats/Error.h"
#include "runtime/checkpoint/QuantizationConfig.h"
#include "runtime/files/SignalsLater.h"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace fs = std::filesystem;

namespace mxc {

OutputFiles::OutputFiles(const Checkpoint &checkpoint, const ConversionPlan &plan, const std::string &output)
    : checkpoint_(checkpoint), plan_(plan), output_(output) {
  if (checkpoint.folder().empty()) return;
  others_ = otherFilesOf(checkpoint, output);
  folder_.emplace(output);
}

/// Each file has a name of its own: an index may give a shard any.
std::string OutputFiles::pathOf(const std::string &name) {
  if (!folder_) return output_;
  if (!names_.insert(name).second)
    throw Error(ErrorKind::InvalidInput,
                checkpoint_.path() + ": two files of the converted folder would be named '" + name + "'");
  return (fs::path(folder_->hidden()) / name).string();
}

SafetensorsWriter &OutputFiles::addShard(const CheckpointShard &shard,
                                         std::span<const TensorOutline> tensors) {
  constexpr size_t kMostOpen = 256; // files of a process, which may have 1024
  if (folder_ && shards_.size() == kMostOpen) {
    shards_.front()->commit();
    shards_.pop_front();
  }
  std::map<std::string, std::string> metadata = shard.file.metadata();
  metadata.erase("quantization_config");
  if (!folder_ && !plan_.isBack) metadata["quantization_config"] = quantizationConfig(plan_);
  for (const TensorOutline &tensor : tensors)
    shardOf_[tensor.name] = shard.name;
  shards_.push_back(std::make_unique<SafetensorsWriter>(pathOf(shard.name), tensors, metadata));
  return *shards_.back();
}

void OutputFiles::write(const std::string &name, std::span<const std::byte> bytes) {
  FileWriter file(pathOf(name));
  file.write(bytes);
  file.commit();
}

void OutputFiles::writeText(const std::string &name, const std::string &text) {
  write(name, std::as_bytes(std::span(text)));
}

void OutputFiles::copyOthers() {
  for (const std::string &name : others_.copied) {
    if (!name.ends_with('/')) {
      write(name, MappedFile(fs::path(checkpoint_.folder()) / name).bytes());
      continue;
    }
    std::error_code error;
    const std::string folder = pathOf(name);
    if (!fs::create_directory(folder, error))
      throw Error(ErrorKind::InvalidInput, "cannot write " + folder + ": " + error.message());
  }
}

std::string OutputFiles::indexText(uint64_t bytesOfTensors) const {
  const nlohmann::json index = {{"metadata", {{"total_size", bytesOfTensors}}}, {"weight_map", shardOf_}};
  return index.dump(2) + "\n";
}

void OutputFiles::commit(uint64_t bytesOfTensors) {
  if (folder_) {
    copyOthers();
    for (const auto &[name, text] : configurationFiles(checkpoint_, plan_))
      writeText(name, text);
    if (!checkpoint_.index().empty()) writeText(checkpoint_.index(), indexText(bytesOfTensors));
  }
  const SignalsLater signalsLater; // Ctrl-C leaves no named file in the hidden folder
  for (auto &shard : shards_)
    shard->commit();
  if (folder_) folder_->commit();
}

} // namespace mxc
