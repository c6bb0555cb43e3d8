#include "runtime/checkpoint/OutputFiles.h"

#include "dialect/formats/Error.h"
#include "runtime/checkpoint/QuantizationConfig.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace fs = std::filesystem;

namespace mxc {

static Error unwritable(const std::string &path, const std::string &why) {
  return Error(ErrorKind::InvalidInput, "cannot write " + path + ": " + why);
}

OutputFiles::OutputFiles(const Checkpoint &checkpoint, const ConversionPlan &plan, const std::string &output)
    : checkpoint_(checkpoint), plan_(plan), output_(output) {
  if (checkpoint.folder().empty()) return;
  std::error_code error;
  isFolderMade_ = fs::create_directory(output, error);
  if (error) throw unwritable(output, error.message());
  if (!isFolderMade_ && !fs::is_empty(output, error))
    throw unwritable(output, error ? error.message() : "expected an empty folder, or none");
}

OutputFiles::~OutputFiles() {
  shards_.clear(); // with their temporary files
  others_.clear();
  std::error_code ignored; // a folder that is not empty stays
  if (isFolderMade_) fs::remove(output_, ignored);
}

std::string OutputFiles::pathOf(const std::string &name) const {
  return checkpoint_.folder().empty() ? output_ : (fs::path(output_) / name).string();
}

SafetensorsWriter &OutputFiles::addShard(const CheckpointShard &shard,
                                         std::span<const TensorOutline> tensors) {
  std::map<std::string, std::string> metadata = shard.file.metadata();
  metadata.erase("quantization_config");
  if (checkpoint_.folder().empty() && !plan_.isBack)
    metadata["quantization_config"] = quantizationConfig(plan_);
  for (const TensorOutline &tensor : tensors)
    shardOf_[tensor.name] = shard.name;
  shards_.push_back(std::make_unique<SafetensorsWriter>(pathOf(shard.name), tensors, metadata));
  return *shards_.back();
}

FileWriter &OutputFiles::addFile(const std::string &name) {
  others_.push_back(std::make_unique<FileWriter>(pathOf(name)));
  return *others_.back();
}

void OutputFiles::writeText(const std::string &name, const std::string &text) {
  addFile(name).write(std::as_bytes(std::span(text)));
}

/// Tokenizers, generation's settings, code, licences: all but weights, in any format, and what is made anew.
void OutputFiles::copyOthers() {
  static const std::set<std::string> kWeights = {".safetensors", ".bin", ".pt", ".pth", ".gguf", ".onnx"};
  std::set<std::string> names;
  for (const fs::directory_entry &entry : fs::directory_iterator(checkpoint_.folder())) {
    const std::string name = entry.path().filename();
    const bool isMadeAnew = name == kConfig || name == kModelOptConfig || name.ends_with(".index.json");
    if (entry.is_regular_file() && !isMadeAnew && !kWeights.contains(entry.path().extension()))
      names.insert(name);
  }
  for (const std::string &name : names)
    addFile(name).write(MappedFile(fs::path(checkpoint_.folder()) / name).bytes());
}

std::string OutputFiles::indexText(uint64_t bytesOfTensors) const {
  nlohmann::ordered_json index = {{"metadata", {{"total_size", bytesOfTensors}}},
                                  {"weight_map", nlohmann::ordered_json::object()}};
  for (const auto &[tensor, shard] : shardOf_)
    index["weight_map"][tensor] = shard;
  return index.dump(2) + "\n";
}

void OutputFiles::commit(uint64_t bytesOfTensors) {
  if (!checkpoint_.folder().empty()) {
    copyOthers();
    for (const auto &[name, text] : configurationFiles(checkpoint_, plan_))
      writeText(name, text);
    if (!checkpoint_.index().empty()) writeText(checkpoint_.index(), indexText(bytesOfTensors));
  }
  for (auto &shard : shards_)
    shard->commit();
  for (auto &other : others_)
    other->commit();
}

} // namespace mxc
