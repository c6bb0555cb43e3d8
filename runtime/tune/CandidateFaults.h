// Which candidates ended the process that ran them; the next process has to know.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace mxc::tune {

/// It lies in memory that forked processes share, so that what one wrote outlives it, whatever ended it.
class CandidateFaults {
public:
  /// Throws mxc::Error (Device) without memory for it.
  CandidateFaults();
  ~CandidateFaults();
  CandidateFaults(const CandidateFaults &) = delete;
  CandidateFaults &operator=(const CandidateFaults &) = delete;

  /// Must be called before something of a candidate runs, which may take at most so long. Throws mxc::Error
  /// (Usage) for more candidates than there is room for.
  void begin(size_t candidate, std::chrono::milliseconds patience);
  void end(); // it came back

  /// The candidate that is running, which is at fault if the process ends now.
  std::optional<size_t> running() const;
  std::optional<size_t> overdue() const;      // the one that runs, if it should not any more
  std::chrono::milliseconds patience() const; // with the last one that began

  void record(size_t candidate, const std::string &reason);
  std::string reason(size_t candidate) const; // "": none that is known

private:
  struct Shared;
  Shared *shared_;
};

} // namespace mxc::tune
