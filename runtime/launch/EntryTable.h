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

  /// The function that is launched; its context is current. The driver copies as many bytes as the
  /// entry's own parameters have: throws mxc::Error (InvalidInput) unless they are as many and as large as
  /// the planned ones; Device if there is no such entry.
  CUfunction function(const PlannedLaunch &planned);

private:
  CUfunction find(const std::string &entry) const;
  void checkParameters(CUfunction function, const PlannedLaunch &planned) const;

  Device device_;
  CUmodule module_;
  std::string image_;
  // Of all the record's launches, null until they are found: looked up without a lock. A launch's parameters
  // are the same in all plans.
  std::map<const AbiLaunch *, std::atomic<CUfunction>> known_;
};

} // namespace mxc
