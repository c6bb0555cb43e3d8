// The times that one contender took.
#pragma once

#include <string>
#include <vector>

namespace mxc::measure {

struct Timing {
  std::vector<double> micros; // of a launch, one a round
  bool wasStopped = false;    // so much slower than the leader that it left the race: fewer rounds

  double median() const; // for an even number the mean of the middle two; all of these are 0 without rounds
  double best() const;
  /// The distance between the quartiles over the median: 0.005 is half a percent.
  double spread() const;
};

} // namespace mxc::measure
