// The files of a converted checkpoint, which appear together when all are whole.
#pragma once

#include "runtime/checkpoint/ConversionPlan.h"
#include "runtime/files/SafetensorsWriter.h"

#include <memory>

namespace mxc {

/// For a checkpoint of one file, one file named `output`; for a folder of shards, the folder `output`, which
/// is made, or must be empty. Goes without commit(): nothing remains, nor the folder that it made.
class OutputFiles {
public:
  OutputFiles(const Checkpoint &checkpoint, const ConversionPlan &plan, const std::string &output);
  ~OutputFiles();
  OutputFiles(const OutputFiles &) = delete;
  OutputFiles &operator=(const OutputFiles &) = delete;

  /// The converted file of a shard, whose metadata it keeps.
  SafetensorsWriter &addShard(const CheckpointShard &shard, std::span<const TensorOutline> tensors);

  /// Also makes the rest of a folder: what lies in the checkpoint's beside weights, the configuration, and
  /// the index, which says how many bytes all tensors have.
  void commit(uint64_t bytesOfTensors);

private:
  std::string pathOf(const std::string &name) const;
  FileWriter &addFile(const std::string &name);
  void copyOthers();
  void writeText(const std::string &name, const std::string &text);
  std::string indexText(uint64_t bytesOfTensors) const;

  const Checkpoint &checkpoint_;
  const ConversionPlan &plan_;
  std::string output_;
  bool isFolderMade_ = false;
  std::vector<std::unique_ptr<SafetensorsWriter>> shards_;
  std::vector<std::unique_ptr<FileWriter>> others_; // the index is the last
  std::map<std::string, std::string> shardOf_;      // tensors' names to shards'
};

} // namespace mxc
