// Candidates that fault or never end: on a simulated chip, and on a driver in host memory.
#include "runtime/tune/IsolatedTuning.h"
#include "runtime/tune/SimulatorCounts.h"
#include "tests/unit/runtime/ExampleImage.h"
#include "tests/unit/runtime/Failure.h"
#include "tests/unit/runtime/FakeDevice.h"
#include "tests/unit/runtime/TemporaryFolder.h"

#include <csignal>
#include <cstring>
#include <fstream>

using namespace mxc;
using namespace mxc::tune;
using Catch::Contains;

namespace {

/// What the process that tuned to the end says: the number of the chosen candidate, then refusals, a line
/// each.
struct Told {
  explicit Told(const std::string &file) {
    std::ifstream stream(file);
    stream >> chosen;
    stream.ignore();
    for (std::string line; std::getline(stream, line);)
      refusals.push_back(line);
  }
  static void write(const std::string &file, const Tuning &tuning) {
    std::ofstream stream(file);
    const std::vector<Trial> &trials = tuning.shapes.back().trials;
    stream << std::ranges::find_if(trials, &Trial::isChosen) - trials.begin() << "\n";
    for (const Trial &trial : trials)
      stream << trial.refusal.substr(0, trial.refusal.find('\n')) << "\n";
  }
  size_t chosen = 0;
  std::vector<std::string> refusals;
};

const std::string kSource =
    "mx.kernel @k(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {\n"
    "  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, "
    "memref<?x?xf8E8M0FNU>)\n}\n";

/// A right kernel that does something else where it should end.
Kernel spoilt(const Device &device, const std::string &tile, const std::string &instead) {
  CompileOptions options;
  options.targets = {"sm_90a"};
  options.stage = Stage::Ptx;
  options.tile = tile;
  std::string ptx = compile(kSource, "k.mlir", options).output;
  const std::string end = "\tret;";
  for (size_t at = 0, number = 0; (at = ptx.find(end, at)) != ptx.npos; at += instead.size()) {
    const std::string label = "FOREVER" + std::to_string(number++);
    ptx.replace(at, end.size(), instead == "loop" ? label + ": bra " + label + ";" : instead);
  }
  return Module::fromImage(device, std::as_bytes(std::span(ptx)), "spoilt").kernel();
}

} // namespace

TEST_CASE("isolated tuning: candidates that fault or never end are refused, and the others go on", "[tune]") {
  TemporaryFolder folder;
  CandidateFaults faults;
  const Dimensions shapes[] = {{{"M", 64}, {"K", 256}}, {{"M", 32}, {"K", 64}}};
  const int status = runIsolated(faults, [&] {
    const Device device = openDevice("simulator:sm_90a");
    CandidateOptions candidateOptions;
    candidateOptions.cache.reset();
    Candidates candidates = candidatesOf(device, kSource, "k.mlir", "", candidateOptions);
    auto spoil = [&](size_t index, const std::string &instead) {
      candidates.all[index].kernel = spoilt(device, candidates.all[index].tile, instead);
    };
    spoil(0, "\ttrap;");
    spoil(1, "{ .reg .b64 %wild; mov.b64 %wild, 64; st.global.b64 [%wild], %wild; ret; }");
    spoil(2, "loop");
    TunerOptions options;
    options.takeCounts = countsOfSimulator("sm_90a");
    options.faults = &faults;
    options.patience = std::chrono::milliseconds(500);
    Told::write(folder.file("told"), tune::tune(device, candidates, shapes, options));
    return 0;
  });
  CHECK(status == 0);
  const Told told(folder.file("told"));
  REQUIRE(told.refusals.size() > 4);
  CHECK_THAT(told.refusals[0],
             Contains("fails at K = 256, M = 64: ") && Contains("CUDA_ERROR_LAUNCH_FAILED"));
  CHECK_THAT(told.refusals[1],
             Contains("fails at K = 256, M = 64: ") && Contains("CUDA_ERROR_ILLEGAL_ADDRESS"));
  CHECK_THAT(told.refusals[2], Contains("did not end in"));
  for (size_t i = 3; i < told.refusals.size(); ++i)
    CHECK(told.refusals[i].empty());
  CHECK((told.chosen > 2 && told.chosen < told.refusals.size()));
}

/// The example kernel with one entry, whose name is its tile.
static Kernel exampleWithEntry(const Device &device, const std::string &entry) {
  ModuleAbi module;
  module.compilerVersion = "0.1.0";
  module.numericsVersion = 1;
  module.target = "sm_90a";
  module.kernels = {exampleKernel()};
  module.kernels[0].variants.resize(1);
  module.kernels[0].variants[0].entry = module.kernels[0].variants[0].tile = entry;
  std::string image = cubinHeader() + abiRecord(module);
  const uint64_t bytes = image.size(); // e_phoff: no segments, behind all of it
  std::memcpy(image.data() + 32, &bytes, sizeof bytes);
  return Module::fromImage(device, bytesOf(image), entry).kernel();
}

TEST_CASE("isolated tuning: an illegal address in a check or in a race ends no tuning", "[tune]") {
  TemporaryFolder folder;
  const Device device = fakeDevice();
  fakeState().launchMicros = {{"first", 1}, {"second", 2}, {"third", 3}, {"fourth", 4}};
  fakeState().faultyLaunch = {{"first", 1}, {"third", 7}}; // checks launch twice
  auto tuneThem = [&](CandidateFaults *faults) {
    Candidates candidates{"quantize", "quantize", {}, {}};
    for (const char *entry : {"first", "third", "fourth", "second"})
      candidates.all.push_back({entry, "ptxas", "", exampleWithEntry(device, entry)});
    candidates.untuned = exampleWithEntry(device, "untuned");
    TunerOptions options;
    options.faults = faults;
    options.measurement.warmSeconds = 0;
    options.measurement.workMicros = 10;
    const Dimensions shapes[] = {{{"M", 64}, {"K", 256}}};
    return tune::tune(device, candidates, shapes, options);
  };
  CandidateFaults faults;
  const int status = runIsolated(faults, [&] {
    Told::write(folder.file("told"), tuneThem(&faults));
    return 0;
  });
  CHECK(status == 0);
  const Told told(folder.file("told"));
  REQUIRE(told.refusals.size() == 4);
  CHECK_THAT(told.refusals[0], Contains("CUDA_ERROR_ILLEGAL_ADDRESS"));
  CHECK_THAT(told.refusals[1], Contains("CUDA_ERROR_ILLEGAL_ADDRESS"));
  CHECK(told.chosen == 3);
  // In the host's own process it is an error that names the candidate.
  CHECK_THAT(failure(ErrorKind::Device, [&] { tuneThem(nullptr); }),
             Contains("K = 256, M = 64: candidate 'first' (ptxas): ") &&
                 Contains("CUDA_ERROR_ILLEGAL_ADDRESS"));
}

TEST_CASE("isolated tuning: whatever ends a process while a candidate runs is the candidate's fault",
          "[tune]") {
  CandidateFaults faults;
  const int status = runIsolated(faults, [&] {
    if (!faults.reason(5).empty()) return 7;
    faults.begin(5, std::chrono::minutes(1));
    return raise(SIGKILL);
  });
  CHECK(status == 7);
  CHECK(faults.reason(5) == "the process that ran it was ended by Killed");
  CHECK(faults.reason(4).empty());
  CHECK_THAT(failure(ErrorKind::Device, [&] { runIsolated(faults, [] { return raise(SIGKILL); }); }),
             Contains("the process that tunes was ended by Killed"));
}
