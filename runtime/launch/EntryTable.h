// The entry points of a loaded image, each held against the ABI record before it is launched the first time.
#pragma once

#include "runtime/device/Device.h"
#include "runtime/launch/LaunchPlan.h"

#include <atomic>
#include <map>
#include <string>

namespace mxc {

class EntryTable {
public:
  /// `abi` is the image's record, `image` stands in messages.
  EntryTable(const Device &device, CUmodule module, const ModuleAbi &abi, const std::string &image);

  /// The function that a plan launches; its context is current. The driver copies as many bytes as the
  /// entry's own parameters have: throws mxc::Error (InvalidInput) unless they are as many and as large as
  /// the plan's; Device if there is no such entry.
  CUfunction function(const LaunchPlan &plan);

private:
  CUfunction find(const std::string &entry) const;
  void checkParameters(CUfunction function, const LaunchPlan &plan) const;

  Device device_;
  CUmodule module_;
  std::string image_;
  // Of all the record's variants, null until they are found: looked up without a lock. A variant's parameters
  // are the same in all its plans.
  std::map<const AbiVariant *, std::atomic<CUfunction>> known_;
};

} // namespace mxc
