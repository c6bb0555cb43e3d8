// What a run uses of the instruction set: a line each, for comparing kernels. Instructions as they are
// spelled; fields of descriptors and tensor maps; places in tensor memory; what completes mbarriers' phases.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace mxc::sim {

class Features {
public:
  void add(std::string line) { lines_.insert(std::move(line)); }

  /// Something that counts towards the phase of an mbarrier: "an arrival", "bytes of tensor copies".
  void arrival(uint32_t mbarrier, const std::string &what) { arrivals_[mbarrier].insert(what); }
  /// The phase is complete, of that many arrivals.
  void endPhase(uint32_t mbarrier, uint32_t arrivals);

  const std::set<std::string> &lines() const { return lines_; }

private:
  std::set<std::string> lines_;
  std::map<uint32_t, std::set<std::string>> arrivals_;
};

/// "a multiple of 16": the largest power of two up to `most` that divides a value.
std::string multipleText(uint64_t value, uint64_t most);

/// Adds lines to those of earlier launches of this process in a file, sorted. False: it cannot be written.
bool writeFeatures(const std::string &path, const std::set<std::string> &lines);

} // namespace mxc::sim
