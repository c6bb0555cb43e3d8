// The files of a converted checkpoint, which appear together when all are whole.
#pragma once

#include "runtime/checkpoint/ConversionPlan.h"
#include "runtime/checkpoint/OtherFiles.h"
#include "runtime/files/OutputFolder.h"
#include "runtime/files/SafetensorsWriter.h"

#include <deque>
#include <memory>
#include <optional>

namespace mxc {

/// For a checkpoint of one file, one file named `output`; for a folder of shards, the folder `output`
/// (OutputFolder). Goes without commit(): nothing remains.
class OutputFiles {
public:
  /// Throws mxc::Error (InvalidInput) where the output cannot be made, or a file of the folder cannot be
  /// copied.
  OutputFiles(const Checkpoint &checkpoint, const ConversionPlan &plan, const std::string &output);
  OutputFiles(const OutputFiles &) = delete;
  OutputFiles &operator=(const OutputFiles &) = delete;

  /// The converted file of a shard, whose metadata it keeps. The shard before it must be whole.
  SafetensorsWriter &addShard(const CheckpointShard &shard, std::span<const TensorOutline> tensors);

  /// Also makes the rest of a folder: what lies in the checkpoint's beside tensors, the configuration, and
  /// the index, which says how many bytes all tensors have.
  void commit(uint64_t bytesOfTensors);

  const std::vector<std::string> &leftOut() const { return others_.leftOut; } // of the folder: OtherFiles

private:
  std::string pathOf(const std::string &name);
  void write(const std::string &name, std::span<const std::byte> bytes);
  void writeText(const std::string &name, const std::string &text);
  void copyOthers();
  std::string indexText(uint64_t bytesOfTensors) const;

  const Checkpoint &checkpoint_;
  const ConversionPlan &plan_;
  const std::string output_;
  OtherFiles others_;
  std::optional<OutputFolder> folder_;                    // none: one file
  std::set<std::string> names_;                           // that were given to files
  std::deque<std::unique_ptr<SafetensorsWriter>> shards_; // that are not committed
  std::map<std::string, std::string> shardOf_;            // tensors' names to shards'
};

} // namespace mxc
