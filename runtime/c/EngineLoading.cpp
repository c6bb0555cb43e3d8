// Loading in libmxc: the engine does it.
#include "compiler/targets/Target.h"
#include "runtime/c/Loading.h"
#include "runtime/c/Status.h"
#include "runtime/device/DeviceName.h"
#include "runtime/jit/DeviceCompilation.h"
#include "runtime/jit/Engine.h"
#include "runtime/simulator/driver/Control.h"
#include "runtime/tune/TuningBundle.h"

#include <filesystem>

namespace mxc::c {

namespace {

class EngineLoader : public Loader {
public:
  EngineLoader(const Device &device, EngineOptions options) : engine_(device, std::move(options)) {}
  Module load(std::string_view content, const std::string &name, const std::string &tile) override {
    return engine_.load(content, name, tile);
  }

private:
  Engine engine_;
};

} // namespace

bool hasCompiler() { return true; }

Device opened(const char *name, const mxc_engine_options &given) {
  const DeviceName device = parseDeviceName(name);
  if (device.kind != DeviceName::Kind::Simulator) {
    refuseSimulation(name, given);
    return openDevice(name);
  }
  sim::Options options = sim::simulatorOptions(device.target);
  if (given.checks) sim::setChecks(options, given.checks);
  if (given.schedule) options.schedule = sim::scheduleNamed(given.schedule);
  Device opened = openDevice(name);
  if (given.checks || given.schedule) sim::setSimulatorOptions(device.target, options);
  return opened;
}

/// Resolved now, because hosts may change their folder later.
static std::string absolutePath(const char *path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (error)
    throw Error(ErrorKind::InvalidInput,
                "cannot find where '" + std::string(path) + "' is: " + error.message());
  return absolute;
}

static std::optional<KernelCache> cacheOf(const mxc_engine_options &options) {
  if (options.cache_folder && !*options.cache_folder) return std::nullopt;
  std::optional<KernelCache> cache = KernelCache::ofUser();
  if (options.cache_folder) cache.emplace(absolutePath(options.cache_folder));
  if (cache && options.cache_bytes) cache->limitTo(options.cache_bytes);
  return cache;
}

static std::optional<TuningDatabase> databaseOf(const char *file) {
  if (!file) return TuningDatabase::ofUser();
  if (!*file) return std::nullopt;
  return TuningDatabase(absolutePath(file));
}

void importTuning(const std::string &bundle, const char *file) {
  if (file && !*file)
    throw Error(ErrorKind::Usage,
                "mxc_tuning_import: tuning_file is empty: expected a file, or NULL for the user's");
  const std::optional<TuningDatabase> database = databaseOf(file);
  if (!database)
    throw Error(ErrorKind::Usage,
                "mxc_tuning_import: there is no place for choices: name a file, or set MXC_TUNING, "
                "XDG_CACHE_HOME or HOME");
  const std::string problem = tune::importBundle(bundle, *database).problem;
  if (problem.starts_with("cannot")) throw Error(ErrorKind::InvalidInput, problem);
}

std::unique_ptr<Loader> makeLoader(const Device &device, const mxc_engine_options &options) {
  EngineOptions engine{cacheOf(options), databaseOf(options.tuning_file)};
  if (options.warn)
    engine.warn = [warn = options.warn, context = options.warn_context](const std::string &text) {
      warn(context, text.c_str());
    };
  return std::make_unique<EngineLoader>(device, std::move(engine));
}

bool joinsParts(const Device &device, int64_t rows, int64_t groups, bool areCodesAlongRows) {
  return mxc::joinsParts(requireTarget(targetFor(device)), rows, groups, areCodesAlongRows);
}

static std::vector<std::string> targetsIn(const std::string &text) {
  std::vector<std::string> targets;
  for (size_t begin = 0, end; begin <= text.size(); begin = end + 1) {
    end = std::min(text.find(',', begin), text.size());
    targets.push_back(text.substr(begin, end - begin));
  }
  return targets;
}

std::string compiled(std::string_view source, const mxc_compile_options &given) {
  CompileOptions options;
  if (given.targets) options.targets = targetsIn(given.targets);
  options.stage = options.targets.size() > 1 ? Stage::Fatbin : Stage::Cubin;
  if (given.stage) {
    std::optional<Stage> stage = stageNamed(given.stage);
    if (!stage)
      throw Error(ErrorKind::Usage, "stage '" + std::string(given.stage) +
                                        "': expected mlir, tile, nvvm, llvm, ptx, cubin or fatbin");
    options.stage = *stage;
  }
  options.tile = optionOf(given.tile, "tile");
  return compile(source, textOr(given.name, "kernel in memory"), options).output;
}

} // namespace mxc::c
