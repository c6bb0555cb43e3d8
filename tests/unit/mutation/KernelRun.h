// Any kernel's PTX on the simulator, behind a grid that wrote all of its inputs: what comes of it.
#pragma once

#include "runtime/launch/GuardedArguments.h"
#include "runtime/simulator/Options.h"
#include "tests/unit/mutation/ProductRun.h"

#include <map>
#include <string>
#include <vector>

/// The kernel is launched as a dependent one: it may begin before the grid in front of it ends.
class KernelRun {
public:
  /// `ptx`: the kernel, whole. Inputs are made up, but for the ends of groups.
  KernelRun(std::string target, const std::string &ptx, const ProductShape &shape);

  struct Outcome {
    std::string fault; // the first line of the report; "": none
    mxc::GuardedArguments::Outputs result;
  };
  /// Of the first variant, with strict checks and one thread of the host.
  Outcome run(const std::string &ptx, mxc::sim::Schedule schedule) const;

private:
  std::string target_;
  mxc::Dimensions dimensions_;
  unsigned multiprocessors_;
  std::map<std::string, std::vector<std::byte>> inputs_; // by the arguments' names
};
