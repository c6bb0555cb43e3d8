// mxc-bandwidth: how close cubins come to what this GPU's memory can do, measured beside it in one run.
#include "tools/dev/bandwidth/Candidate.h"
#include "tools/dev/bandwidth/Measurement.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>

namespace mxc::bandwidth {
namespace {

struct Shape {
  int64_t rows = 0, columns = 0;
};

Shape parseShape(const std::string &text) {
  Shape shape;
  int used = 0;
  long long rows = 0, columns = 0;
  if (std::sscanf(text.c_str(), "%lldx%lld%n", &rows, &columns, &used) != 2 || size_t(used) != text.size() ||
      rows < 1 || columns < 1)
    throw Error(ErrorKind::Usage, "--shapes: '" + text + "' is not ROWSxCOLUMNS");
  shape.rows = rows, shape.columns = columns;
  return shape;
}

struct Candidates {
  std::vector<std::string> names;
  std::vector<Kernel> kernels;
};

/// Measures one shape in one launch mode, prints its table and appends to `results`. Returns the number of
/// wrong bytes.
uint64_t report(const Device &device, const Yardstick &yardstick, const Candidates &candidates, Shape shape,
                bool pdl, const MeasurementOptions &options, nlohmann::json &results) {
  std::vector<Program> programs, chosen;
  for (size_t i = 0; i < candidates.kernels.size(); ++i)
    chosen.push_back(candidate(candidates.kernels[i], candidates.names[i], shape.rows, shape.columns));
  std::set<std::string> traffics;
  for (const Program &program : chosen)
    traffics.insert(program.ceiling);
  if (traffics.empty()) traffics = {"r2w1", "r4w1"};
  for (const std::string &traffic : traffics)
    for (Program &ceiling : yardstick.ceilings(traffic, shape.rows, shape.columns))
      programs.push_back(std::move(ceiling));
  std::move(chosen.begin(), chosen.end(), std::back_inserter(programs));

  const std::vector<Timing> timings = measure(device, yardstick, programs, pdl, options);

  auto rate = [&](size_t p) { return programs[p].bytes / timings[p].mean() / 1e3; }; // GB/s
  std::map<std::string, double> best; // ceiling's rate by traffic
  for (size_t p = 0; p < programs.size(); ++p)
    if (programs[p].isCeiling) best[programs[p].ceiling] = std::max(best[programs[p].ceiling], rate(p));

  uint64_t wrong = 0;
  std::printf("\n%lldx%lld, %s\n", (long long)shape.rows, (long long)shape.columns,
              pdl ? "PDL" : "plain launches");
  std::printf("  %-36s %10s %9s %12s %8s\n", "program", "us", "GB/s", "of ceiling", "spread");
  for (size_t p = 0; p < programs.size(); ++p) {
    const Program &program = programs[p];
    const double ratio = rate(p) / best[program.ceiling];
    std::printf("  %-36s %10.2f %9.0f %7.4f %-4s %6.2f %%%s", program.name.c_str(), timings[p].mean(),
                rate(p), ratio, program.ceiling.c_str(), 100 * timings[p].spread(),
                program.isCeiling && rate(p) == best[program.ceiling] ? "  <- ceiling" : "");
    if (timings[p].wrongBytes)
      std::printf("  WRONG: %llu output bytes unwritten or changing",
                  (unsigned long long)timings[p].wrongBytes);
    std::printf("\n");
    wrong += timings[p].wrongBytes;
    results.push_back({{"rows", shape.rows},
                       {"columns", shape.columns},
                       {"pdl", pdl},
                       {"program", program.name},
                       {"isCeiling", program.isCeiling},
                       {"traffic", program.ceiling},
                       {"bytes", program.bytes},
                       {"micros", timings[p].mean()},
                       {"microsOfPasses", timings[p].micros},
                       {"gigabytesPerSecond", rate(p)},
                       {"ratioToCeiling", ratio},
                       {"spread", timings[p].spread()},
                       {"wrongBytes", timings[p].wrongBytes}});
  }
  std::fflush(stdout);
  return wrong;
}

int run(int argc, char **argv) {
  CLI::App app("Times cubins beside the streaming ceiling of this GPU.\n\n"
               "  mxc-bandwidth --cubin a.cubin --cubin b.cubin:quantize --shapes 8192x8192,131072x7168 "
               "--pdl --json out.json\n");
  std::vector<std::string> cubins, shapes{"4096x4096", "8192x8192", "16384x16384", "1000x7168", "128x7168"};
  std::string deviceName = "cuda:0", jsonPath;
  bool pdl = false, plain = false, noCheck = false;
  MeasurementOptions options;
  double workMillis = options.workMicros / 1e3;
  app.add_option("--cubin", cubins, "FILE or FILE:KERNEL; none: only the ceilings");
  app.add_option("--shapes", shapes, "ROWSxCOLUMNS, comma-separated")->delimiter(',')->capture_default_str();
  app.add_flag("--pdl", pdl, "programmatic dependent launches");
  app.add_flag("--plain", plain, "plain launches (the default); with --pdl: both");
  app.add_option("--device", deviceName)->capture_default_str();
  app.add_option("--json", jsonPath, "write the results here");
  app.add_option("--work-millis", workMillis, "work of a replay")->capture_default_str();
  app.add_option("--replays", options.replays, "of which the median counts")->capture_default_str();
  app.add_flag("--no-check", noCheck, "do not check that all of every output is written");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  options.workMicros = workMillis * 1e3;
  options.check = !noCheck;
  std::vector<Shape> parsed;
  for (const std::string &text : shapes)
    parsed.push_back(parseShape(text));

  const Device device = openDevice(deviceName);
  const Yardstick yardstick(device);
  Candidates candidates;
  for (const std::string &cubin : cubins) {
    candidates.kernels.push_back(loadKernel(device, cubin));
    candidates.names.push_back(std::filesystem::path(cubin).filename().string());
  }
  std::printf("%s, driver %d; replays of %.1f ms, median of %d, %d passes\n", device.model().c_str(),
              device.driverVersion(), workMillis, options.replays, options.passes);

  uint64_t wrong = 0;
  nlohmann::json results = nlohmann::json::array();
  for (Shape shape : parsed) {
    if (plain || !pdl) wrong += report(device, yardstick, candidates, shape, false, options, results);
    if (pdl) wrong += report(device, yardstick, candidates, shape, true, options, results);
  }
  if (!jsonPath.empty()) {
    std::ofstream file(jsonPath);
    file << nlohmann::json{{"device", device.model()},
                           {"driver", device.driverVersion()},
                           {"results", results}}
                .dump(1)
         << '\n';
    if (!file.flush()) throw Error(ErrorKind::InvalidInput, "cannot write " + jsonPath);
  }
  return wrong ? 1 : 0;
}

} // namespace
} // namespace mxc::bandwidth

int main(int argc, char **argv) {
  try {
    return mxc::bandwidth::run(argc, argv);
  } catch (const mxc::Error &error) {
    std::cerr << "mxc-bandwidth: " << error.what() << '\n';
    return error.kind() == mxc::ErrorKind::InvalidInput ? 1 : error.kind() == mxc::ErrorKind::Usage ? 2 : 3;
  } catch (const std::exception &error) {
    std::cerr << "mxc-bandwidth: " << error.what() << '\n';
    return 1;
  }
}
