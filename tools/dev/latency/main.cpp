// mxc-latency: what a host waits for, in medians: compilation, first launches, what the runtime adds to a
// launch.
//   build/bin/mxc-latency docs/examples/quantize.mlir [DEVICE]
// Launches are of a small problem: a kernel's first dimension is 128, the others 1024, its scalars are 1.
// A simulator's launches run on the host, so there a driver call that does nothing stands in for
// cuLaunchKernelEx: what is printed is the runtime's own time.
#include "compiler/Compiler.h"
#include "compiler/CompilerIdentity.h"
#include "dialect/formats/Error.h"
#include "runtime/device/Stream.h"
#include "runtime/files/FileBytes.h"
#include "runtime/jit/CachedCompilation.h"
#include "runtime/jit/Engine.h"
#include "runtime/measure/TensorSets.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <functional>
#include <optional>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mxc;
using Clock = std::chrono::steady_clock;

namespace {

/// The time of a piece of work, in microseconds: by the clock, and of the processor for this process alone.
/// On a machine that others use the second is the one to compare.
struct Time {
  double wall = 0, processor = 0;
  Time operator/(double count) const { return {wall / count, processor / count}; }
};

} // namespace

static double processorMicros() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

static Time timeOf(const std::function<void()> &work) {
  const auto start = Clock::now();
  const double processor = processorMicros();
  work();
  return {std::chrono::duration<double, std::micro>(Clock::now() - start).count(),
          processorMicros() - processor};
}

/// The medians of `repeats` runs after one that warms up, and the fastest.
static void print(const char *what, int repeats, const std::function<Time()> &run) {
  run();
  std::vector<double> wall, processor;
  for (int i = 0; i < repeats; ++i) {
    const Time time = run();
    wall.push_back(time.wall);
    processor.push_back(time.processor);
  }
  std::ranges::sort(wall);
  std::ranges::sort(processor);
  std::printf("%-52s %10.2f us, fastest %10.2f; processor %10.2f us\n", what, wall[wall.size() / 2],
              wall.front(), processor[processor.size() / 2]);
  std::fflush(stdout);
}
static void printCall(const char *what, int repeats, const std::function<void()> &work) {
  print(what, repeats, [&] { return timeOf(work); });
}

static void compilation(const std::string &source, const Device &device) {
  CompileOptions options;
  options.targets = {targetFor(device)};
  auto compiled = [&](Stage stage) {
    return [&source, stage, options]() mutable {
      options.stage = stage;
      compile(source, "kernel.mlir", options);
    };
  };
  printCall("MLIR to MLIR with tiles", 20, compiled(Stage::Mlir));
  printCall("MLIR to tile level", 20, compiled(Stage::Tile));
  printCall("MLIR to NVVM", 20, compiled(Stage::Nvvm));
  printCall("MLIR to LLVM IR, optimized", 20, compiled(Stage::Llvm));
  printCall("MLIR to PTX", 20, compiled(Stage::Ptx));
  for (auto [assembler, what] : {std::pair(Assembler::NvJitLink, "MLIR to cubin, nvJitLink"),
                                 std::pair(Assembler::Ptxas, "MLIR to cubin, ptxas")}) {
    options.assembler = assembler;
    if (hasAssembler(assembler)) printCall(what, 20, compiled(Stage::Cubin));
  }
}

static void firstLaunches(const std::string &source, const Device &device, const std::string &folder) {
  EngineOptions cached;
  cached.cache = KernelCache(folder);
  CompileOptions options;
  options.targets = {targetFor(device)};
  options.stage = device.driver().takesCubins ? Stage::Cubin : Stage::Ptx;
  printCall("a cached kernel's key", 20, [&] { kernelKey(source, "kernel.mlir", options); });
  printCall("a cached kernel, key to loaded module, a new engine", 20,
            [&] { Engine(device, cached).load(source, "kernel.mlir"); });
  Engine engine(device, cached);
  printCall("a kernel that the engine has", 200, [&] { engine.load(source, "kernel.mlir"); });
}

/// The driver's own call as the runtime makes it.
static thread_local struct {
  CUlaunchConfig config;
  CUfunction function;
  void **parameters;
} seen;

static CUresult CUDAAPI recordLaunch(const CUlaunchConfig *config, CUfunction function, void **parameters,
                                     void **) {
  seen = {*config, function, parameters};
  return CUDA_SUCCESS;
}

static CUresult CUDAAPI noLaunch(const CUlaunchConfig *, CUfunction, void **, void **) {
  return CUDA_SUCCESS;
}

/// M = 128, K = 1024 of a quantizer.
static measure::TensorSets smallTensors(const Device &device, const KernelAbi &kernel) {
  Dimensions dimensions;
  for (const std::string &name : kernel.dimensions)
    dimensions.emplace(name, dimensions.empty() ? 128 : 1024);
  Arguments scalars;
  for (const AbiArgument &argument : kernel.arguments)
    if (argument.kind == ArgumentKind::Scalar) scalars.emplace_back(argument.name, 1);
  return measure::TensorSets(device, kernel, dimensions, scalars, {.rotatedBytes = 0});
}

/// Without any cache. A kernel of many entry points compiles the one that is launched; what others are being
/// compiled when an engine ends is waited for beside the clock.
static void newKernels(const std::string &source, const Device &device) {
  Driver driver = device.driver();
  if (device.name().starts_with("simulator")) driver.cuLaunchKernelEx = noLaunch;
  const Device launched(driver, device.ordinal(), device.name());
  EngineOptions uncached;
  uncached.cache.reset();
  auto load = [&](const std::function<Time(const Kernel &)> &launch) {
    Engine engine(launched, uncached);
    std::optional<Kernel> kernel;
    const Time loading = timeOf([&] { kernel = engine.load(source, "kernel.mlir").kernel(); });
    const Time launching = launch(*kernel);
    return Time{loading.wall + launching.wall, loading.processor + launching.processor};
  };
  print("a new kernel, loaded", 5, [&] { return load([](const Kernel &) { return Time(); }); });
  print("a new kernel, loaded and launched", 5, [&] {
    return load([&](const Kernel &kernel) {
      const measure::TensorSets tensors = smallTensors(device, kernel.abi());
      Stream stream(launched);
      const Arguments arguments = tensors.arguments(0);
      const Time time = timeOf([&] { kernel.launch(arguments, {.stream = stream}); });
      stream.synchronize();
      return time;
    });
  });
}

static void launches(const std::string &source, const Device &device) {
  constexpr int kCalls = 200; // fewer than a stream's queue holds
  Driver recording = device.driver(), driver = device.driver();
  recording.cuLaunchKernelEx = recordLaunch;
  if (device.name().starts_with("simulator")) driver.cuLaunchKernelEx = noLaunch;
  const Device recorded(recording, device.ordinal(), device.name()),
      launched(driver, device.ordinal(), device.name());
  EngineOptions uncached;
  uncached.cache.reset();
  Kernel kernel = Engine(launched, uncached).load(source, "kernel.mlir").kernel();
  Kernel recordedKernel = Engine(recorded, uncached).load(source, "kernel.mlir").kernel();
  const measure::TensorSets tensors = smallTensors(device, kernel.abi());
  Arguments arguments = tensors.arguments(0);
  // Workspaces are given, as whoever launches often does: otherwise each launch allocates them.
  const PreparedLaunch owner = kernel.prepare(arguments);
  for (const WorkspaceRequest &workspace : owner.plan().workspaces)
    arguments.emplace_back(workspace.argument, TensorView{workspace.address, "u8", {workspace.bytes}, {}});
  Stream stream(device);
  PreparedLaunch prepared = kernel.prepare(arguments), recordedLaunch = recordedKernel.prepare(arguments);
  auto perCall = [&](auto call) {
    return [&stream, call] {
      const Time time = timeOf([&] {
        for (int i = 0; i < kCalls; ++i)
          call();
      });
      stream.synchronize();
      return time / kCalls;
    };
  };
  recordedLaunch.launch(stream);
  {
    ContextScope scope(device);
    print("the bare driver call", 101,
          perCall([&] { driver.cuLaunchKernelEx(&seen.config, seen.function, seen.parameters, nullptr); }));
  }
  print("a prepared launch", 101, perCall([&] { prepared.launch(stream); }));
  ContextScope scope(device);
  print("a prepared launch, its context current", 101, perCall([&] { prepared.launch(stream); }));
  print("a checked launch", 101, perCall([&] { kernel.launch(arguments, {.stream = stream}); }));
}

static void startUp(const char *self) {
  std::string program = self;
  program = program.substr(0, program.rfind('/') + 1) + "mxc";
  if (access(program.c_str(), X_OK) != 0) return;
  std::string version = "--version";
  char *arguments[] = {program.data(), version.data(), nullptr};
  printCall("mxc --version, start to exit", 20, [&] {
    posix_spawn_file_actions_t silent;
    posix_spawn_file_actions_init(&silent);
    posix_spawn_file_actions_addopen(&silent, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t process;
    if (posix_spawn(&process, program.c_str(), &silent, nullptr, arguments, environ) == 0)
      waitpid(process, nullptr, 0);
    posix_spawn_file_actions_destroy(&silent);
  });
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: %s KERNEL.mlir [DEVICE]\n", argv[0]);
    return 2;
  }
  char folder[] = "/tmp/mxc-latency-XXXXXX";
  if (!mkdtemp(folder)) return 1;
  int status = 0;
  try {
    const FileBytes file = readFile(argv[1], 1 << 20);
    const std::string source(reinterpret_cast<const char *>(file.data.get()), file.size);
    const Device device = openDevice(argc > 2 ? argv[2] : "simulator:sm_90a");
    std::printf("%s on %s (%s)\n", argv[1], device.name().c_str(), device.model().c_str());
    startUp(argv[0]);
    compilation(source, device);
    firstLaunches(source, device, folder);
    newKernels(source, device);
    launches(source, device);
  } catch (const Error &error) {
    std::fprintf(stderr, "mxc-latency: %s\n", error.what());
    status = error.kind() == ErrorKind::Device ? 3 : 1;
  }
  KernelCache(folder).clear();
  return status;
}
