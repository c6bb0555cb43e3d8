// mxc tune
#include "runtime/device/DeviceName.h"
#include "runtime/jit/DeviceCompilation.h"
#include "runtime/jit/TunedTiles.h"
#include "runtime/tune/IsolatedTuning.h"
#include "runtime/tune/SimulatorCounts.h"
#include "runtime/tune/TuningBundle.h"
#include "tools/mxc/Commands.h"
#include "tools/mxc/ExitStatus.h"
#include "tools/mxc/KernelSource.h"
#include "tools/mxc/Messages.h"
#include "tools/mxc/OutputFile.h"
#include "tools/mxc/ProgressLine.h"
#include "tools/mxc/RunInputs.h"
#include "tools/mxc/TuneReport.h"

#include <chrono>
#include <cstdio>

namespace mxc {

namespace {

TuningDatabase requireDatabase() {
  if (std::optional<TuningDatabase> database = TuningDatabase::ofUser()) return *database;
  throw Error(ErrorKind::Usage, "there is no place for choices: MXC_TUNING names no file, and neither "
                                "XDG_CACHE_HOME nor HOME names a folder by an absolute path");
}

/// What the database said: nothing was stored or read, or what was in the way.
void tell(const std::string &problem) {
  if (problem.starts_with("cannot")) throw Error(ErrorKind::InvalidInput, problem);
  if (!problem.empty()) warn(problem);
}

/// For people, where JSON does not take standard output.
void say(const TuneCommand &command, const std::string &text) {
  if (command.json != "-") std::printf("%s", printable(text).c_str());
}

std::string counted(size_t number, const std::string &what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

/// "M=8192,K=7168".
Dimensions parseShape(const std::string &text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  try {
    return parseDimensions(parts, "--shape");
  } catch (const Error &) {
    throw Error(ErrorKind::Usage, "--shape: expected M=8192,K=7168, found '" + text + "'");
  }
}

void checkShape(const Dimensions &shape, const KernelAbi &kernel) {
  const std::vector<std::string> &names = kernel.dimensions;
  std::string expected;
  bool fits = shape.size() == names.size();
  for (const std::string &name : names) {
    expected += (expected.empty() ? "" : ",") + name + "=SIZE";
    fits &= shape.count(name) != 0;
  }
  if (!fits)
    throw Error(ErrorKind::Usage,
                "--shape: kernel '" + kernel.name + "' " +
                    (names.empty() ? "has no dynamic dimensions: leave it out" : "takes " + expected) +
                    ", found " + (shape.empty() ? "none" : tune::shapeText(shape)));
}

std::vector<Assembler> assemblersOf(const std::string &text) {
  if (text == "all") return {};
  if (std::optional<Assembler> assembler = assemblerNamed(text)) return {*assembler};
  throw Error(ErrorKind::Usage, "--assembler: expected all, auto, nvjitlink or ptxas, found '" + text + "'");
}

void tuneShapes(const TuneCommand &command, const KernelSource &source, const TuningDatabase &database,
                tune::CandidateFaults &faults, std::chrono::steady_clock::time_point start) {
  const Device device = openDevice(command.device);
  std::vector<Dimensions> shapes;
  for (const std::string &shape : command.shapes)
    shapes.push_back(parseShape(shape));
  tune::CandidateOptions candidateOptions;
  candidateOptions.assemblers = assemblersOf(command.assembler);
  if (command.noCache) candidateOptions.cache.reset();
  tune::TunerOptions options;
  options.scalars = parseScalars(command.scalars);
  options.pdl = command.pdl;
  options.faults = &faults;
  if (const DeviceName name = parseDeviceName(command.device); name.kind == DeviceName::Kind::Simulator)
    options.takeCounts = tune::countsOfSimulator(name.target);

  std::optional<ProgressLine> line(std::in_place);
  candidateOptions.progress = [&](size_t done, size_t total) { line->show("compiled", done, total); };
  options.progress = [&](const std::string &what, size_t done, size_t total) {
    line->show(what, done, total);
  };
  const tune::Candidates candidates = KernelSource::withDiagnostics(source.name, [&] {
    return tune::candidatesOf(device, source.text, source.name, command.kernel, candidateOptions);
  });
  if (shapes.empty()) shapes.emplace_back(); // of a kernel without dynamic dimensions
  for (const Dimensions &shape : shapes)
    checkShape(shape, candidates.untuned->abi());
  const tune::Tuning tuning = tune::tune(device, candidates, shapes, options);
  line.reset();
  say(command, tuningText(device, candidates, tuning));
  if (!command.json.empty()) writeOutput(command.json, tuningJson(device, candidates, tuning));
  tell(database.store(tuning.rows));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  char took[32];
  std::snprintf(took, sizeof took, " in %.1f s; ", seconds);
  say(command, "\n" + counted(shapes.size(), "shape") + took + counted(tuning.rows.size(), "choice") +
                   " stored in " + database.file() + "\n");
}

/// In processes of its own: what a candidate's fault ruins ends with one of them.
void tuneIsolated(const TuneCommand &command, const KernelSource &source, const TuningDatabase &database) {
  const auto start = std::chrono::steady_clock::now();
  tune::CandidateFaults faults;
  const int status = tune::runIsolated(faults, [&] {
    return exitStatusOf([&] {
      tuneShapes(command, source, database, faults, start);
      return 0;
    });
  });
  if (status != 0) throw AlreadyTold{status};
}

/// BASE.fatbin, which needs neither this database nor a compiler, and BASE.json, for other databases.
void exportChoices(const TuneCommand &command, const Device &device, const KernelSource &source,
                   const TuningDatabase &database) {
  const std::string &base = command.exportBase;
  std::vector<std::pair<std::string, std::vector<TunedChoice>>> choicesOfKernels;
  std::vector<TunedRow> rows;
  for (const KernelText &kernel :
       KernelSource::withDiagnostics(source.name, [&] { return kernelTexts(source.text, source.name); })) {
    const TuningKey key = tuningKey(kernel.text, device);
    TuningDatabase::Choices found = database.choices(key);
    tell(found.problem);
    for (const TunedChoice &choice : found.choices)
      rows.push_back({key, choice});
    choicesOfKernels.emplace_back(kernel.kernel, std::move(found.choices));
  }
  if (rows.empty())
    throw Error(ErrorKind::InvalidInput, "nothing to export: no kernel of " + source.name +
                                             " has been tuned for " + device.model() + " (" +
                                             std::to_string(device.limits().multiprocessors) +
                                             " multiprocessors); tune it with --shape");
  const TunedTiles tiles = tunedTiles(choicesOfKernels, tuningBuild());
  CompileOptions options;
  options.targets = {targetFor(device)};
  options.stage = Stage::Fatbin;
  options.preferredTiles = tiles.tiles;
  options.assembler = tiles.assembler;
  writeOutput(base + ".fatbin", source.compile(options).output);
  writeOutput(base + ".json", tune::bundleText(rows));
  say(command,
      counted(rows.size(), "choice") + " in " + base + ".json, and compiled into " + base + ".fatbin\n");
}

void importChoices(const TuneCommand &command, const TuningDatabase &database) {
  const tune::Imported imported = tune::importBundle(command.import, database);
  tell(imported.problem);
  say(command,
      counted(imported.rows, "choice") + " of " + command.import + " stored in " + database.file() + "\n");
}

} // namespace

void tuneKernel(const TuneCommand &command) {
  if (command.kernelFile.empty() && command.import.empty())
    throw Error(ErrorKind::Usage, "nothing to do: give a kernel, or --import FILE");
  if (!command.kernelFile.empty() && command.device.empty())
    throw Error(ErrorKind::Usage, "--device is needed: what is fastest is a device's own");
  std::vector<std::string> outputs = {command.json};
  if (!command.exportBase.empty())
    outputs.insert(outputs.end(), {command.exportBase + ".fatbin", command.exportBase + ".json"});
  const TuningDatabase database = requireDatabase();
  checkOutputs(outputs, {command.kernelFile, command.import, database.file()});
  if (!command.import.empty()) importChoices(command, database);
  if (command.kernelFile.empty()) return;
  const KernelSource source = KernelSource::read(command.kernelFile);
  if (!command.shapes.empty() || command.exportBase.empty()) {
    tell(database.store({})); // before minutes of tuning
    tuneIsolated(command, source, database);
  }
  if (!command.exportBase.empty()) exportChoices(command, openDevice(command.device), source, database);
}

} // namespace mxc
