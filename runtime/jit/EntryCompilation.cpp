#include "runtime/jit/EntryCompilation.h"

#include "compiler/codegen/AssembledImage.h"
#include "dialect/formats/Error.h"
#include "runtime/jit/BackgroundThreads.h"
#include "runtime/jit/CachedCompilation.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <map>
#include <mutex>
#include <unistd.h>

namespace mxc {

namespace {

/// What a thread made for all that wait. The exception object itself stays with that thread.
struct Outcome {
  std::string image = {}, warnings = {};
  bool isError = false; // mxc::Error
  ErrorKind kind = {};
  std::string message = {};
};

/// Whether this process has compiled an entry: the static objects of LLVM and MLIR that code generation makes
/// are there then, and outlive work that begins now.
std::atomic<bool> hasCompiled = false;

} // namespace

struct EntryCompilation::State {
  State(const Device &device, Source &&source) : device(device), source(std::move(source)) {}

  /// Becomes true where nobody wants the entry any longer; null: somebody waits for it.
  using Flag = const std::atomic<bool> *;
  CacheEntry build(const std::string &entry, Flag isUnwanted) const;
  Outcome outcomeOf(const std::string &entry, Flag isUnwanted) const noexcept;
  std::string take(const std::string &entry);
  bool makeNext(Flag isUnwanted);

  const Device device;
  const Source source;
  const pid_t process = getpid();
  std::mutex mutex;
  std::map<std::string, std::shared_future<Outcome>> made; // or being made
};

CacheEntry EntryCompilation::State::build(const std::string &entry, Flag isUnwanted) const {
  CompileOptions options = source.options;
  options.entry = entry;
  options.isUnwanted = isUnwanted;
  std::string stage, target;
  CompileResult result = compileFor(device, options, [&](const CompileOptions &chosen) {
    stage = mxc::name(chosen.stage), target = chosen.targets.front();
    return compile(source.text, source.name, chosen);
  });
  hasCompiled = true;
  return {std::move(result.output), std::move(result.warnings), entry, target, stage};
}

Outcome EntryCompilation::State::outcomeOf(const std::string &entry, Flag isUnwanted) const noexcept {
  try {
    if (!source.cache) {
      CacheEntry built = build(entry, isUnwanted);
      return {std::move(built.image), std::move(built.warnings)};
    }
    const ContentHash key = contentHash({hexadecimal(source.key), entry});
    KernelCache::Result result =
        obtainImage(*source.cache, key, [&] { return build(entry, isUnwanted); }, faultOfCode);
    return {std::move(result.entry.image), result.entry.warnings + result.problem};
  } catch (const Error &error) {
    return {{}, {}, true, error.kind(), error.what()};
  } catch (const std::exception &error) { // no memory
    return {{}, {}, true, ErrorKind::Device, "cannot compile " + entry + ": " + error.what()};
  }
}

/// A failure is forgotten: the next call tries again.
std::string EntryCompilation::State::take(const std::string &entry) {
  std::promise<Outcome> promise;
  std::shared_future<Outcome> future;
  bool isMine;
  {
    std::lock_guard lock(mutex);
    auto [place, isNew] = made.try_emplace(entry);
    if ((isMine = isNew)) place->second = promise.get_future().share();
    future = place->second;
  }
  if (isMine) promise.set_value(outcomeOf(entry, nullptr));
  const Outcome &outcome = future.get();
  if (outcome.isError) {
    std::lock_guard lock(mutex);
    made.erase(entry);
    throw Error(outcome.kind, outcome.message);
  }
  if (source.warn && !outcome.warnings.empty()) source.warn(outcome.warnings);
  return outcome.image;
}

/// Compiles an entry that nobody has asked for yet; false if there is none. A failure is told to who launches
/// it.
bool EntryCompilation::State::makeNext(Flag isUnwanted) {
  std::promise<Outcome> promise;
  std::string entry;
  {
    std::lock_guard lock(mutex);
    auto next = std::ranges::find_if(source.entries, [&](const auto &name) { return !made.contains(name); });
    if (next == source.entries.end()) return false;
    entry = *next;
    made[entry] = promise.get_future().share();
  }
  promise.set_value(outcomeOf(entry, isUnwanted));
  return true;
}

EntryCompilation::EntryCompilation(const Device &device, Source source)
    : state_(std::make_shared<State>(device, std::move(source))) {}

EntryCompilation::~EntryCompilation() { endBackgroundWork(state_.get()); }

std::string EntryCompilation::image(const std::string &entry) {
  if (getpid() != state_->process) // what a thread was about to make there, nobody makes here
    throw Error(ErrorKind::Device, "entry " + entry + " of " + state_->source.name +
                                       " was to be made in process " + std::to_string(state_->process) +
                                       ", of which this one is a fork");
  std::string image = state_->take(entry);
  if (hasCompiled)
    beginBackgroundWork(state_.get(), [state = state_](const std::atomic<bool> &isEnding) {
      return state->makeNext(&isEnding);
    });
  return image;
}

} // namespace mxc
