#include "tests/unit/tune/FaultyCandidates.h"

#include "runtime/device/DeviceName.h"
#include "runtime/jit/DeviceCompilation.h"
#include "runtime/tune/IsolatedTuning.h"
#include "runtime/tune/SimulatorCounts.h"
#include "tests/unit/runtime/TemporaryFolder.h"
#include "tests/unit/tune/ToldTuning.h"

#include <catch2/catch.hpp>

using namespace mxc;
using namespace mxc::tune;
using Catch::Contains;

static const char *const kSource =
    "mx.kernel @k(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {\n"
    "  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, "
    "memref<?x?xf8E8M0FNU>)\n}\n";

/// A right kernel that does something else where it should end.
static Kernel spoilt(const Device &device, const std::string &tile, const std::string &instead) {
  CompileOptions options;
  options.targets = {targetFor(device)};
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

void tuneFaultyCandidates(const std::string &deviceName) {
  TemporaryFolder folder;
  CandidateFaults faults;
  const Dimensions shapes[] = {{{"M", 64}, {"K", 256}}, {{"M", 32}, {"K", 64}}};
  const int status = runIsolated(faults, [&] {
    const Device device = openDevice(deviceName);
    CandidateOptions candidateOptions;
    candidateOptions.cache = KernelCache(folder.file("cache"));
    Candidates candidates = candidatesOf(device, kSource, "k.mlir", "", candidateOptions);
    const char *const instead[] = {
        "\ttrap;", "{ .reg .b64 %wild; mov.b64 %wild, 64; st.global.b64 [%wild], %wild; ret; }", "loop"};
    for (size_t i = 0; i < std::size(instead); ++i)
      candidates.all[i].kernel = spoilt(device, candidates.all[i].tile, instead[i]);
    TunerOptions options;
    if (const DeviceName name = parseDeviceName(deviceName); name.kind == DeviceName::Kind::Simulator)
      options.takeCounts = countsOfSimulator(name.target);
    options.faults = &faults;
    options.patience = std::chrono::seconds(3);
    ToldTuning::write(folder.file("told"), tune::tune(device, candidates, shapes, options));
    return 0;
  });
  CHECK(status == 0);
  const ToldTuning told(folder.file("told"));
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
