// mxc bench
#include "compiler/abi/Version.h"
#include "runtime/device/DeviceName.h"
#include "tools/mxc/Commands.h"
#include "tools/mxc/KernelFile.h"
#include "tools/mxc/Messages.h"
#include "tools/mxc/OutputFile.h"
#include "tools/mxc/RunInputs.h"
#include "tools/mxc/ShapeText.h"
#include "tools/mxc/bench/BenchCounts.h"
#include "tools/mxc/bench/BenchReport.h"

#include <algorithm>
#include <cstdio>

namespace mxc {

namespace {

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

/// Calls `measure` with the candidates of each file at each shape. All files are read, compiled and given
/// their shapes before anything is measured: a measurement takes minutes.
template <typename Measure>
void forEachCase(const BenchCommand &command, const Device &device, const Measure &measure) {
  const Arguments scalars = parseScalars(command.scalars);
  for (const std::string &file : command.files)
    KernelFile::read(file, command.tiles.empty() ? "" : command.tiles.front()); // before minutes of compiling
  std::vector<std::vector<bench::Candidate>> candidatesOfFiles;
  std::vector<std::vector<Dimensions>> shapesOfFiles;
  for (const std::string &file : command.files) {
    candidatesOfFiles.push_back(candidatesOf(command, file, device));
    shapesOfFiles.push_back(shapesOf(candidatesOfFiles.back().front().kernel.abi(), command.shapes));
  }
  for (size_t i = 0; i < command.files.size(); ++i)
    for (const Dimensions &dimensions : shapesOfFiles[i])
      measure(candidatesOfFiles[i], command.files[i], dimensions, scalars);
}

/// For people: where a report takes standard output, on standard error.
void print(const BenchCommand &command, const std::string &text) {
  const bool isTaken = command.json == "-" || command.csv == "-" || command.html == "-";
  std::FILE *file = isTaken ? stderr : stdout;
  std::fprintf(file, "%s", printable(text).c_str());
  std::fflush(file); // a measurement takes seconds: show what there is
}

void countOnSimulator(const BenchCommand &command, const Device &device) {
  print(command, device.model() + " (" + device.name() + ") has no times: counts of one launch\n");
  std::vector<bench::CountCase> cases;
  forEachCase(command, device, [&](auto &candidates, auto &file, auto &dimensions, auto &scalars) {
    const std::string target = parseDeviceName(device.name()).target;
    cases.push_back(bench::countCase(candidates, file, dimensions, scalars, target));
    print(command, bench::countText(cases.back()));
  });
  if (!command.json.empty()) writeOutput(command.json, bench::countJson(device.name(), cases));
  if (!command.csv.empty()) writeOutput(command.csv, bench::countCsv(device.name(), cases));
  if (!command.html.empty())
    writeOutput(command.html, bench::countHtml(device.name(), device.model(), cases));
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
