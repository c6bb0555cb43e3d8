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
#include "tools/mxc/ShapeText.h"
#include "tools/mxc/TuneReport.h"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <map>

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

std::vector<Assembler> assemblersOf(const std::string &text) {
  if (text == "all") return {};
  if (std::optional<Assembler> assembler = assemblerNamed(text)) return {*assembler};
  throw Error(ErrorKind::Usage, "--assembler: expected all, auto, nvjitlink or ptxas, found '" + text + "'");
}

void tuneShapes(const TuneCommand &command, const KernelSource &source, const TuningDatabase &database,
                tune::CandidateFaults &faults, std::chrono::steady_clock::time_point start) {
  const Device device = openDevice(command.device);
  for (const std::string &shape : command.shapes)
    checkShapeForm(shape); // before minutes of compiling
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
  const std::vector<Dimensions> shapes = shapesOf(candidates.untuned->abi(), command.shapes);
  std::string problem; // of the database: told after what was found
  options.shapeEnded = [&](std::span<const TunedRow> rows) {
    if (std::string told = database.store(rows); !told.empty()) problem = std::move(told);
  };
  const tune::Tuning tuning = tune::tune(device, candidates, shapes, options);
  line.reset();
  say(command, tuningText(device, candidates, tuning));
  if (!command.json.empty()) writeOutput(command.json, tuningJson(device, candidates, tuning));
  tell(problem);
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

/// The kernels of a file by their keys' hashes.
std::map<std::string, std::string> namesOfKernels(const std::string &file) {
  std::map<std::string, std::string> names;
  if (file.empty()) return names;
  const KernelSource source = KernelSource::read(file);
  for (const KernelText &kernel :
       KernelSource::withDiagnostics(source.name, [&] { return kernelTexts(source.text, source.name); }))
    names[tuningKernel(kernel.text)] = kernel.kernel;
  return names;
}

std::string dayOf(int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts = {};
  char text[32] = "";
  if (localtime_r(&time, &parts)) std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
  return text;
}

/// A kernel of the file by its name, others by the hash of their text.
void listChoices(const std::string &file, const TuningDatabase &database) {
  const std::map<std::string, std::string> names = namesOfKernels(file);
  const TuningDatabase::Rows found = database.rows();
  tell(found.problem);
  size_t count = 0;
  for (const TunedRow &row : found.rows) {
    const auto name = names.find(row.key.kernel);
    if (!file.empty() && name == names.end()) continue;
    const TunedChoice &c = row.choice;
    char score[64];
    std::snprintf(score, sizeof score, "%.2f %s", c.score, c.measure == "counts" ? "by counts" : "us");
    const std::string text = (name == names.end() ? row.key.kernel.substr(0, 16) : name->second) + "  " +
                             row.key.device + "  " + c.bucket.text() + "  " + score + "  " + c.assembler +
                             "  " + dayOf(c.seconds) +
                             (c.build == tuningBuild() ? "" : "  by another build of mxc") + "\n  " +
                             (c.tile.empty() ? "no tiles" : c.tile) + "\n";
    std::printf("%s", printable(text).c_str());
    ++count;
  }
  std::printf("%s, in %s\n", counted(count, "choice").c_str(), printable(database.file()).c_str());
}

void clearChoices(const std::string &file, const TuningDatabase &database) {
  std::vector<std::string> kernels;
  for (const auto &[kernel, name] : namesOfKernels(file))
    kernels.push_back(kernel);
  const TuningDatabase::Removed removed = file.empty() ? database.removeAll() : database.remove(kernels);
  tell(removed.problem);
  std::printf("%s forgotten, in %s\n", counted(removed.rows, "choice").c_str(),
              printable(database.file()).c_str());
}

} // namespace

void tuneKernel(const TuneCommand &command) {
  if (command.isListed) return listChoices(command.kernelFile, requireDatabase());
  if (command.isCleared) return clearChoices(command.kernelFile, requireDatabase());
  if (command.kernelFile.empty() && command.import.empty())
    throw Error(ErrorKind::Usage, "nothing to do: give a kernel, or --import FILE, --list or --clear");
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
