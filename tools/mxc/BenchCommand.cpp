// mxc bench
#include "compiler/Version.h"
#include "runtime/device/DeviceName.h"
#include "tools/mxc/Commands.h"
#include "tools/mxc/KernelFile.h"
#include "tools/mxc/Messages.h"
#include "tools/mxc/OutputFile.h"
#include "tools/mxc/RunInputs.h"
#include "tools/mxc/bench/BenchCounts.h"
#include "tools/mxc/bench/BenchReport.h"

#include <algorithm>
#include <cstdio>

namespace mxc {

namespace {

/// "M=8192,K=7168", or the sizes alone in the kernel's order: "8192x7168".
Dimensions dimensionsOf(const KernelAbi &kernel, const std::string &text) {
  if (kernel.dimensions.empty())
    throw Error(ErrorKind::Usage, "--shape: kernel '" + kernel.name +
                                      "' has no dynamic dimensions: leave it out, found '" + text + "'");
  std::vector<std::string> parts;
  const bool isNamed = text.find('=') != text.npos;
  for (size_t begin = 0, end; begin <= text.size(); begin = end + 1) {
    end = std::min(text.find(isNamed ? ',' : 'x', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
  }
  if (!isNamed) {
    std::string names;
    for (const std::string &name : kernel.dimensions)
      names += (names.empty() ? "" : ", ") + name;
    if (parts.size() != kernel.dimensions.size())
      throw Error(ErrorKind::Usage, "--shape: kernel '" + kernel.name + "' has the dimensions " + names +
                                        ", found '" + text + "'");
    for (size_t i = 0; i < parts.size(); ++i)
      parts[i] = kernel.dimensions[i] + "=" + parts[i];
  }
  return parseDimensions(parts, "--shape");
}

std::vector<Dimensions> shapesOf(const KernelAbi &kernel, const std::vector<std::string> &texts) {
  if (kernel.dimensions.empty() && texts.empty()) return {{}};
  if (texts.empty())
    throw Error(ErrorKind::Usage, "kernel '" + kernel.name + "' takes any size: give some, as --shape " +
                                      kernel.dimensions.front() + "=8192,..");
  std::vector<Dimensions> shapes;
  for (const std::string &text : texts)
    shapes.push_back(solveDimensions(kernel, {}, dimensionsOf(kernel, text)));
  return shapes;
}

bool haveSameTiles(const KernelAbi &a, const KernelAbi &b) {
  return std::ranges::equal(a.variants, b.variants, {}, &AbiVariant::tile, &AbiVariant::tile);
}

std::vector<bench::Candidate> candidatesOf(const BenchCommand &command, const std::string &file,
                                           const Device &device) {
  std::vector<bench::Candidate> candidates;
  for (const std::string &tile : command.tiles.empty() ? std::vector<std::string>{""} : command.tiles) {
    const KernelFile read = KernelFile::read(file, tile);
    const Kernel kernel = read.load(device, !command.noCache, false).kernel(command.kernel);
    candidates.push_back({tile.empty() ? "default tiles" : tile, kernel});
    if (!tile.empty() || command.noTuning) continue;
    const Kernel tuned = read.load(device, !command.noCache, true).kernel(command.kernel);
    if (!haveSameTiles(tuned.abi(), kernel.abi())) candidates.push_back({"tuned tiles", tuned});
  }
  return candidates;
}

/// Calls `measure` with the candidates of each file at each shape.
template <typename Measure>
void forEachCase(const BenchCommand &command, const Device &device, const Measure &measure) {
  const Arguments scalars = parseScalars(command.scalars);
  for (const std::string &file : command.files) {
    const std::vector<bench::Candidate> candidates = candidatesOf(command, file, device);
    for (const Dimensions &dimensions : shapesOf(candidates.front().kernel.abi(), command.shapes))
      measure(candidates, file, dimensions, scalars);
  }
}

/// For people: where a report takes standard output, on standard error.
void print(const BenchCommand &command, const std::string &text) {
  const bool isTaken = command.json == "-" || command.csv == "-" || command.html == "-";
  std::FILE *file = isTaken ? stderr : stdout;
  std::fprintf(file, "%s", printable(text).c_str());
  std::fflush(file); // a measurement takes seconds: show what there is
}

void countOnSimulator(const BenchCommand &command, const Device &device) {
  if (!command.csv.empty() || !command.html.empty())
    throw Error(ErrorKind::Usage, "--csv and --html hold times, which " + device.name() + " has not: --json");
  print(command, device.model() + " (" + device.name() + ") has no times: counts of one launch\n");
  std::vector<bench::CountCase> cases;
  forEachCase(command, device, [&](auto &candidates, auto &file, auto &dimensions, auto &scalars) {
    const std::string target = parseDeviceName(device.name()).target;
    cases.push_back(bench::countCase(candidates, file, dimensions, scalars, target));
    print(command, bench::countText(cases.back()));
  });
  if (!command.json.empty()) writeOutput(command.json, bench::countJson(device.name(), cases));
}

} // namespace

void benchKernels(const BenchCommand &command) {
  checkOutputs({command.json, command.csv, command.html}, command.files);
  const Device device = openDevice(command.device);
  if (parseDeviceName(command.device).kind == DeviceName::Kind::Simulator)
    return countOnSimulator(command, device);
  bench::Report report{device.name(), device.model(), kVersion, device.driverVersion()};
  print(command, bench::headText(report));
  bool isWrong = false;
  forEachCase(command, device, [&](auto &candidates, auto &file, auto &dimensions, auto &scalars) {
    report.cases.push_back(bench::measureCase(candidates, file, dimensions, scalars,
                                              {command.pdl, command.rounds, command.warm, command.settle}));
    isWrong |= report.cases.back().hasWrongResults;
    print(command, bench::caseText(report.cases.back()));
  });
  if (!command.json.empty()) writeOutput(command.json, bench::reportJson(report));
  if (!command.csv.empty()) writeOutput(command.csv, bench::reportCsv(report));
  if (!command.html.empty()) writeOutput(command.html, bench::reportHtml(report));
  if (isWrong) throw Error(ErrorKind::InvalidInput, "results are unwritten or change: see the table");
}

} // namespace mxc
