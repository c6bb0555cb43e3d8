// Candidates that fault or never end: on a simulated chip, and on a driver in host memory.
#include "runtime/tune/IsolatedTuning.h"
#include "tests/unit/process/ChildProcess.h"
#include "tests/unit/runtime/ExampleImage.h"
#include "tests/unit/runtime/Failure.h"
#include "tests/unit/runtime/FakeDevice.h"
#include "tests/unit/runtime/TemporaryFolder.h"
#include "tests/unit/tune/FaultyCandidates.h"
#include "tests/unit/tune/ToldTuning.h"

#include <csignal>
#include <cstring>

using namespace mxc;
using namespace mxc::tune;
using Catch::Contains;

TEST_CASE("isolated tuning: candidates that fault or never end are refused, and the others go on", "[tune]") {
  tuneFaultyCandidates("simulator:sm_90a");
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
  const uint64_t bytes = image.size(); // e_phoff: no segments, after all of it
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
    ToldTuning::write(folder.file("told"), tuneThem(&faults));
    return 0;
  });
  CHECK(status == 0);
  const ToldTuning told(folder.file("told"));
  REQUIRE(told.refusals.size() == 4);
  CHECK_THAT(told.refusals[0], Contains("CUDA_ERROR_ILLEGAL_ADDRESS"));
  CHECK_THAT(told.refusals[1], Contains("CUDA_ERROR_ILLEGAL_ADDRESS"));
  CHECK(told.refusals[2] == ""); // fourth, which is slower than second
  CHECK(told.refusals[3] == "");
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

TEST_CASE("isolated tuning: where it is not told how the process ended, that is an error", "[tune]") {
  ChildProcess host([] {
    std::signal(SIGCHLD, SIG_IGN); // its children are gone when they end
    CandidateFaults faults;
    try {
      runIsolated(faults, [] { return 7; });
    } catch (const Error &error) {
      return std::string_view(error.what()).starts_with("cannot tell how") ? 0 : 1;
    }
    return 2;
  });
  CHECK(host.wait(std::chrono::minutes(2)) == 0);
}
