#include "runtime/jit/Engine.h"

#include "compiler/codegen/AssembledImage.h"
#include "dialect/formats/Error.h"
#include "runtime/files/FileBytes.h"
#include "runtime/jit/CachedCompilation.h"
#include "runtime/jit/EntryCompilation.h"
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

struct Engine::State : std::enable_shared_from_this<Engine::State> {
  State(const Device &device, EngineOptions &&options) : device(device), options(std::move(options)) {}

  Module make(std::string_view content, const std::string &name, const std::string &tile);
  Module makeFor(std::promise<Outcome> &promise, const ContentHash &key, std::string_view content,
                 const std::string &name, const std::string &tile);
  Module compiled(std::string_view source, const std::string &name, const CompileOptions &options);
  std::optional<Module> foundOrByEntries(std::string_view source, const std::string &name,
                                         const CompileOptions &options);
  Module compiledAsTuned(std::string_view source, const std::string &name, const std::string &tile);
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

/// Kernels with more entry points than this are made entry by entry. A few take less time than a launch may.
static constexpr size_t kMostEntriesAtOnce = 6;

static std::vector<std::string> entriesOf(const ModuleAbi &abi) {
  std::vector<std::string> entries;
  for (const KernelAbi &kernel : abi.kernels)
    for (const AbiVariant &variant : kernel.variants)
      variant.forEachLaunch([&](const AbiLaunch &launch) {
        if (!std::ranges::count(entries, launch.entry)) entries.push_back(launch.entry);
      });
  return entries;
}

/// What the cache has, or a module whose record alone is made yet. Nothing where a kernel that is not cached
/// has few entries.
std::optional<Module> Engine::State::foundOrByEntries(std::string_view source, const std::string &name,
                                                      const CompileOptions &chosen) {
  CompileOptions forTarget = chosen;
  forTarget.targets = {targetFor(device)};
  forTarget.stage = takesCubins(device, chosen) ? Stage::Cubin : Stage::Ptx;
  const ContentHash key = kernelKey(source, name, forTarget);
  if (options.cache)
    if (std::optional<CacheEntry> whole = options.cache->find(key);
        whole && faultOfImage(whole->image).empty()) {
      ++found;
      warn(whole->warnings);
      return Module::fromImage(device, std::as_bytes(std::span(whole->image)), name);
    }
  const ContentHash recordKey = contentHash({hexadecimal(key), "record"});
  std::optional<CacheEntry> record = options.cache ? options.cache->find(recordKey) : std::nullopt;
  const bool wasFound = record.has_value();
  if (!wasFound) {
    CompileResult result = compileAbi(source, name, forTarget);
    record = CacheEntry{std::move(result.output), std::move(result.warnings), kernelNames(result),
                        forTarget.targets.front(), "record"};
  }
  const ModuleAbi abi = abiFromJson(record->image);
  std::vector<std::string> entries = entriesOf(abi);
  if (entries.size() <= kMostEntriesAtOnce) return std::nullopt;
  ++(wasFound ? found : compilations);
  warn(record->warnings);
  if (options.cache && !wasFound) warn(options.cache->obtain(recordKey, [&] { return *record; }).problem);
  // The module may outlive the engine, and what its warnings go to.
  auto tell = [engine = weak_from_this()](const std::string &text) {
    if (const std::shared_ptr<State> state = engine.lock()) state->warn(text);
  };
  auto made = std::make_shared<EntryCompilation>(
      device, EntryCompilation::Source{std::string(source), name, chosen, key, std::move(entries),
                                       options.cache, std::move(tell)});
  return Module::fromEntries(device, abi, name, std::move(made));
}

Module Engine::State::compiled(std::string_view source, const std::string &name,
                               const CompileOptions &chosen) {
  if (std::optional<Module> module = foundOrByEntries(source, name, chosen)) return *module;
  const KernelCache *cache = options.cache ? &*options.cache : nullptr;
  const std::string image = compileFor(device, chosen, [&](const CompileOptions &compileOptions) {
                              CachedCompilation result = compileCached(cache, source, name, compileOptions);
                              ++(result.wasFound ? found : compilations);
                              warn(result.warnings);
                              warn(result.problem);
                              return CompileResult{std::move(result.image), {}, {}};
                            }).output;
  return Module::fromImage(device, std::as_bytes(std::span(image)), name);
}

/// Tuned choices are preferred but never required: another build may have chosen what this one refuses.
Module Engine::State::compiledAsTuned(std::string_view source, const std::string &name,
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
    Module module = compiled(source, name, asTuned);
    ++tuned;
    return module;
  } catch (const Error &error) {
    Module module = compiled(source, name, chosen); // throws what the source is at fault of
    warn("what was tuned for " + name + " is not used: " + error.what());
    return module;
  }
}

Module Engine::State::make(std::string_view content, const std::string &name, const std::string &tile) {
  if (imageFormat(std::as_bytes(std::span(content))) == ImageFormat::Unknown) {
    Module module = compiledAsTuned(content, name, tile);
    ++loaded;
    return module;
  }
  if (!tile.empty())
    throw Error(ErrorKind::Usage,
                "the tile '" + tile + "' needs the kernel's MLIR, but " + name + " is compiled already");
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
