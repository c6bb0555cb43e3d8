// What one contender took.
#pragma once

#include <string>
#include <vector>

namespace mxc::measure {

struct Timing {
  std::vector<double> micros; // of a launch, one a round
  bool wasStopped = false;    // so far behind the leader that it left the race: fewer rounds

  double median() const; // of an even number the mean of the middle two; all of these: 0 without rounds
  double best() const;
  /// Between the quartiles, over the median: 0.005 is half a percent.
  double spread() const;
};

} // namespace mxc::measure
