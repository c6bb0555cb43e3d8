// mxc simulate -- PROGRAM: any CUDA program on the simulator's driver and CUDA runtime. The
// program takes this process's place, so that its exit status, its signals and its terminal are its own.
#include "dialect/formats/Error.h"
#include "runtime/environment/Environment.h"
#include "runtime/files/FileBytes.h"
#include "runtime/simulator/Options.h"
#include "tools/mxc/Commands.h"
#include "tools/mxc/ElfFacts.h"
#include "tools/mxc/OutputFile.h"
#include "tools/mxc/SimulatedChip.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace mxc {

/// As a shell finds it: by its path, or in the folders of PATH.
static std::string pathOf(const std::string &program) {
  if (program.find('/') != program.npos) return program;
  const char *variable = std::getenv("PATH");
  const std::string folders = variable ? variable : "/usr/bin:/bin";
  for (size_t begin = 0, end; begin <= folders.size(); begin = end + 1) {
    end = std::min(folders.find(':', begin), folders.size());
    const std::string path = (end == begin ? "." : folders.substr(begin, end - begin)) + "/" + program;
    struct stat status;
    if (stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0)
      return path;
  }
  throw Error(ErrorKind::InvalidInput, "cannot run " + program + ": it is in no folder of PATH");
}

/// Beside mxc in a build and where it is installed.
static std::string simulatorFolder() {
  std::error_code unknown;
  const fs::path own = fs::read_symlink("/proc/self/exe", unknown).parent_path();
  for (const char *place : {"../lib/simulator/cudart", "../" MXC_LIBRARY_FOLDER "/mxc/simulator/cudart"})
    if (const fs::path folder = (own / place).lexically_normal();
        fs::exists(folder / "libcuda.so.1", unknown))
      return folder;
  throw Error(ErrorKind::Device,
              "the simulator's libcuda.so.1 and libcudart.so.13 are not beside " + own.string() +
                  ": build the targets mxc-simulator and mxc-cudart, or install the component Tools");
}

/// Whatever the simulator's libraries can do nothing about.
static void checkProgram(const std::string &path) {
  constexpr size_t kMaximumBytes = size_t(1) << 34;
  constexpr std::string_view kRuntime = "libcudart.so.", kOwn = "libcudart.so.13";
  if (access(path.c_str(), R_OK) != 0) return; // it may be run all the same
  const FileBytes file = readFile(path, kMaximumBytes);
  const ElfFacts facts = elfFacts(file.bytes());
  if (!facts.isElf) return; // a script: what it starts finds the libraries
  auto refuse = [&](const std::string &why) { throw Error(ErrorKind::InvalidInput, path + " " + why); };
  if (!facts.isDynamic && facts.holdsKernels)
    refuse("is linked statically as a whole, so that it never looks for the simulator's libraries: link it "
           "dynamically, with nvcc -cudart shared");
  const auto runtime =
      std::ranges::find_if(facts.needed, [&](const std::string &name) { return name.starts_with(kRuntime); });
  if (runtime == facts.needed.end() && facts.holdsKernels)
    refuse(
        "holds NVIDIA's CUDA runtime (libcudart_static), which runs on NVIDIA's driver alone: link it with "
        "nvcc -cudart shared");
  if (runtime != facts.needed.end() && *runtime != kOwn)
    refuse("wants " + *runtime + ", the simulator has " + std::string(kOwn) +
           ": build it with a CUDA toolkit of that version");
}

static void set(const char *variable, const std::string &value) {
  if (!value.empty()) setenv(variable, value.c_str(), 1);
}

/// What the program is to find: the libraries first, and what the command line says of the simulator.
static void setEnvironment(const SimulateCommand &command, const std::string &folder) {
  const char *before = std::getenv("LD_LIBRARY_PATH");
  set("LD_LIBRARY_PATH", folder + (before && *before ? ":" + std::string(before) : ""));
  set("MXC_LIBCUDA", folder + "/libcuda.so.1"); // of a program that uses mxc's own runtime
  set("MXC_SIM_TARGET", command.target);
  set("MXC_SIM_SCHEDULE", command.schedule);
  set("MXC_SIM_CHECKS", command.checks);
  set("MXC_SIM_TENSOR", command.tensor);
  set("MXC_SIM_TRACE", command.trace);
  set("MXC_SIM_TIMELINE", command.timeline);
  set("MXC_SIM_TIMELINE_WINDOW", command.timelineWindow);
  set("MXC_SIM_FEATURES", command.features);
}

void simulateProgram(const SimulateCommand &command) {
  const std::string path = pathOf(command.program.front());
  setEnvironment(command, simulatorFolder());
  sim::optionsFromEnvironment("sm_100a"); // what is no value is told before anything runs
  if (const auto target = environment(EnvironmentVariable::SimulatorTarget))
    requireChip(command.target.empty() ? "MXC_SIM_TARGET" : "--target", *target);
  checkOutputs({command.timeline, command.features}, {path});
  checkProgram(path);
  std::vector<char *> words;
  for (const std::string &word : command.program)
    words.push_back(const_cast<char *>(word.c_str()));
  words.push_back(nullptr);
  std::signal(SIGXFSZ, SIG_DFL); // as it was before main
  execv(path.c_str(), words.data());
  throw Error(ErrorKind::InvalidInput, "cannot run " + path + ": " + std::strerror(errno));
}

} // namespace mxc
