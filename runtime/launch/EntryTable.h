// The entry points of a loaded image, each checked against the ABI record before its first launch.
#pragma once

#include "runtime/device/Device.h"
#include "runtime/launch/LaunchPlan.h"

#include <atomic>
#include <map>
#include <string>

namespace mxc {

class EntryTable {
public:
  /// `abi` is the image's record; messages call the image `image`.
  EntryTable(const Device &device, CUmodule module, const ModuleAbi &abi, const std::string &image);

  /// Returns the function to launch; its context must be current. Because the driver copies as many bytes as
  /// the entry's own parameters have, it throws mxc::Error (InvalidInput) unless they are as many and as
  /// large as the planned ones; and Device if there is no such entry.
  CUfunction function(const PlannedLaunch &planned);

private:
  CUfunction find(const std::string &entry) const;
  void checkParameters(CUfunction function, const PlannedLaunch &planned) const;

  Device device_;
  CUmodule module_;
  std::string image_;
  // One for each launch of the record, null until it is found, and read without a lock. A launch has the same
  // parameters in all plans.
  std::map<const AbiLaunch *, std::atomic<CUfunction>> known_;
};

} // namespace mxc
