// What mxc bench found, as text, JSON, CSV and HTML.
#pragma once

#include "tools/mxc/bench/BenchCase.h"

namespace mxc::bench {

struct Report {
  std::string device, model, version; // "cuda:0", "NVIDIA H200", mxc's
  int driverVersion = 0;
  std::vector<Case> cases = {};
};

std::string headText(const Report &report);
std::string caseText(const Case &result); // a table
std::string reportJson(const Report &report);
std::string reportCsv(const Report &report);
/// A page that needs nothing else: each case's times and rates, with bars beside its ceiling, and all of them
/// under the roofs that were measured.
std::string reportHtml(const Report &report);

} // namespace mxc::bench
