// The entry points of a loaded image, each held against the ABI record before it is launched the first time.
#pragma once

#include "runtime/Device.h"
#include "runtime/LaunchPlan.h"

#include <map>
#include <mutex>
#include <string>

namespace mxc {

class EntryTable {
public:
  /// `image` stands in messages.
  EntryTable(const Device &device, CUmodule module, const std::string &image)
      : device_(device), module_(module), image_(image) {}

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
  std::mutex mutex_;
  std::map<const AbiVariant *, CUfunction> known_; // a variant's parameters are the same in all its plans
};

} // namespace mxc
