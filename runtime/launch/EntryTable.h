// The entry points of a module, each checked against the ABI record before its first launch.
#pragma once

#include "runtime/device/Device.h"
#include "runtime/launch/EntrySource.h"
#include "runtime/launch/LaunchPlan.h"
#include "runtime/launch/LoadedImage.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace mxc {

class EntryTable {
public:
  /// `abi` is the record; messages call the module `name`.
  EntryTable(const Device &device, const ModuleAbi &abi, const std::string &name,
             std::unique_ptr<LoadedImage> image);
  /// Its images are made and loaded when a launch first needs them.
  EntryTable(const Device &device, const ModuleAbi &abi, const std::string &name,
             std::shared_ptr<EntrySource> source);

  /// Returns the function to launch; its context must be current. Because the driver copies as many bytes as
  /// the entry's own parameters have, it throws mxc::Error (InvalidInput) unless they are as many and as
  /// large as the planned ones; Device if there is no such entry; and what EntrySource::image throws.
  CUfunction function(const PlannedLaunch &planned);

private:
  CUfunction find(const std::string &entry);
  CUfunction findIn(CUmodule image, const std::string &entry) const;
  void checkParameters(CUfunction function, const PlannedLaunch &planned) const;

  Device device_;
  std::string name_;
  std::shared_ptr<EntrySource> source_; // null: all entries are in the first image
  std::mutex mutex_;                    // of images_, where there is a source
  std::vector<std::unique_ptr<LoadedImage>> images_;
  // One for each launch of the record, null until it is found, and read without a lock. A launch has the same
  // parameters in all plans.
  std::map<const AbiLaunch *, std::atomic<CUfunction>> known_;
};

} // namespace mxc
