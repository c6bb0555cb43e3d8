#include "runtime/jit/Engine.h"

#include "dialect/formats/Error.h"
#include "runtime/files/FileBytes.h"
#include "runtime/jit/CachedCompilation.h"
#include "runtime/jit/TunedTiles.h"

#include <atomic>
#include <future>
#include <map>
#include <mutex>
#include <span>
#include <unistd.h>

namespace mxc {

namespace {

/// What a thread made for all that wait. The exception object itself stays with that thread.
struct Outcome {
  std::optional<Module> module = {};
  bool isError = false; // mxc::Error
  ErrorKind kind = {};
  std::string message = {};
};

} // namespace

struct Engine::State {
  State(const Device &device, EngineOptions &&options) : device(device), options(std::move(options)) {}

  Module make(std::string_view content, const std::string &name, const std::string &tile);
  Module makeFor(std::promise<Outcome> &promise, const ContentHash &key, std::string_view content,
                 const std::string &name, const std::string &tile);
  std::string compiled(std::string_view source, const std::string &name, const CompileOptions &options);
  std::string compiledAsTuned(std::string_view source, const std::string &name, const std::string &tile);
  void warn(const std::string &text) const {
    if (options.warn && !text.empty()) options.warn(text);
  }

  const Device device;
  const EngineOptions options;
  const pid_t process = getpid();
  std::mutex mutex;
  std::map<ContentHash, std::shared_future<Outcome>> modules; // ready, or being made by some thread
  std::atomic<uint64_t> compilations = 0, found = 0, loaded = 0, tuned = 0;
};

Engine::Engine(const Device &device, EngineOptions options)
    : state_(std::make_shared<State>(device, std::move(options))) {}

const Device &Engine::device() const { return state_->device; }

EngineCounts Engine::counts() const {
  return {state_->compilations, state_->found, state_->loaded, state_->tuned};
}

std::string Engine::State::compiled(std::string_view source, const std::string &name,
                                    const CompileOptions &chosen) {
  const KernelCache *cache = options.cache ? &*options.cache : nullptr;
  return compileFor(device, chosen,
                    [&](const CompileOptions &compileOptions) {
                      CachedCompilation result = compileCached(cache, source, name, compileOptions);
                      ++(result.wasFound ? found : compilations);
                      warn(result.warnings);
                      warn(result.problem);
                      return CompileResult{std::move(result.image), {}, {}};
                    })
      .output;
}

/// Tuned choices are preferred but never required: another build may have chosen what this one refuses.
std::string Engine::State::compiledAsTuned(std::string_view source, const std::string &name,
                                           const std::string &tile) {
  CompileOptions chosen;
  chosen.tile = tile;
  chosen.assembler = options.assembler;
  if (!tile.empty() || !options.tuning) return compiled(source, name, chosen);
  const TunedTiles choices = tunedTiles(*options.tuning, device, source, name);
  warn(choices.problem);
  if (choices.isNone()) return compiled(source, name, chosen);
  CompileOptions asTuned = chosen;
  asTuned.preferredTiles = choices.tiles;
  if (options.assembler == Assembler::Auto) asTuned.assembler = choices.assembler;
  try {
    std::string image = compiled(source, name, asTuned);
    ++tuned;
    return image;
  } catch (const Error &error) {
    std::string image = compiled(source, name, chosen); // throws what the source is at fault of
    warn("what was tuned for " + name + " is not used: " + error.what());
    return image;
  }
}

Module Engine::State::make(std::string_view content, const std::string &name, const std::string &tile) {
  std::string image;
  if (imageFormat(std::as_bytes(std::span(content))) == ImageFormat::Unknown) {
    image = compiledAsTuned(content, name, tile);
    content = image;
  } else if (!tile.empty()) {
    throw Error(ErrorKind::Usage,
                "the tile '" + tile + "' needs the kernel's MLIR, but " + name + " is compiled already");
  }
  Module module = Module::fromImage(device, std::as_bytes(std::span(content)), name);
  ++loaded;
  return module;
}

/// A failure is forgotten before it is reported.
Module Engine::State::makeFor(std::promise<Outcome> &promise, const ContentHash &key,
                              std::string_view content, const std::string &name, const std::string &tile) {
  auto fail = [&](Outcome outcome) {
    {
      std::lock_guard lock(mutex);
      modules.erase(key);
    }
    promise.set_value(std::move(outcome));
  };
  try {
    Module made = make(content, name, tile);
    promise.set_value({made});
    return made;
  } catch (const Error &error) {
    fail({{}, true, error.kind(), error.what()});
    throw;
  } catch (...) {
    fail({});
    throw;
  }
}

Module Engine::load(std::string_view content, const std::string &name, const std::string &tile) const {
  // What another thread of the process that made it was about to do, nobody does in a fork.
  if (getpid() != state_->process)
    throw Error(ErrorKind::Device, "this engine was made in process " + std::to_string(state_->process) +
                                       ", of which this one is a fork: make an engine here");
  const ContentHash key = contentHash({content, tile});
  for (;;) {
    std::promise<Outcome> promise;
    std::shared_future<Outcome> others; // what another thread makes, or made
    {
      std::lock_guard lock(state_->mutex);
      auto [place, isMine] = state_->modules.try_emplace(key);
      if (isMine)
        place->second = promise.get_future().share();
      else
        others = place->second;
    }
    if (!others.valid()) return state_->makeFor(promise, key, content, name, tile);
    const Outcome &outcome = others.get();
    if (outcome.module) return *outcome.module;
    if (outcome.isError) throw Error(outcome.kind, outcome.message);
    // It failed for a reason of its own thread.
  }
}

Module Engine::loadFile(const std::string &path, const std::string &tile) const {
  constexpr size_t kMaximumBytes = size_t(1) << 30;
  FileBytes file = readFile(path, kMaximumBytes);
  return load({reinterpret_cast<const char *>(file.data.get()), file.size}, path, tile);
}

} // namespace mxc
