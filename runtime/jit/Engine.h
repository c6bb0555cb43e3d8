// Kernels of a device at run time: each is compiled, found in the cache or loaded from an image, once.
#pragma once

#include "runtime/jit/DeviceCompilation.h"
#include "runtime/jit/KernelCache.h"
#include "runtime/jit/TuningDatabase.h"
#include "runtime/launch/Kernel.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace mxc {

struct EngineOptions {
  std::optional<KernelCache> cache = KernelCache::ofUser();
  /// The database whose choices of tiles, and of the assembler if that is Auto, come before the heuristics'.
  /// It is read when a source is compiled.
  std::optional<TuningDatabase> tuning = TuningDatabase::ofUser();
  Assembler assembler = Assembler::Auto;
  /// Receives the warnings of compilations, and why a kernel could not be kept in the cache, on the thread
  /// that compiles. It must not throw. If it is empty, they are dropped.
  std::function<void(const std::string &)> warn = {};
};

/// Counts what an engine has done so far.
struct EngineCounts {
  uint64_t compiled = 0, foundInCache = 0, loaded = 0; // loaded: modules, including images that were given
  uint64_t tuned = 0; // of those compiled or found: with choices of the tuning database
};

/// It belongs to the process that made it: in a fork, load throws mxc::Error (Device).
/// Any number of threads may use it and its copies at once: when several ask for the same content, one
/// compiles and loads it while the others wait. Modules stay loaded until the engine and everything taken
/// from it are gone. The host stays as it was: no other context is current afterwards, and mxc::compile's
/// promises hold.
///
///   Engine engine(openDevice("cuda:0"));
///   Kernel quantize = engine.loadFile("quantize.mlir").kernel("quantize");
///   quantize.launch({{"x", x}, {"q", q}, {"s", s}}, {.stream = stream});
class Engine {
public:
  /// Throws mxc::Error (Usage) if the environment's cache size is not a size.
  explicit Engine(const Device &device, EngineOptions options = {});

  const Device &device() const;

  /// Loads MLIR text, which is compiled for the device (compileFor), or a cubin, fatbin or PTX that mxc
  /// compiled, told apart by the first bytes; messages call it `name`. `tile` is that of CompileOptions, for
  /// MLIR alone. A stream may be capturing meanwhile. If a kernel has more than six entry points and is not
  /// in the cache, only its record is made: its first launch, or prepare, compiles the entry that it takes,
  /// and throws if that fails; the others follow on threads of low priority, which end soon after
  /// the module, which does not wait for them, and before the process does. Throws mxc::Error: what
  /// mxc::compile and Module::fromImage throw; Usage for a tile with an image. A failure is forgotten: the
  /// next call tries again.
  Module load(std::string_view content, const std::string &name, const std::string &tile = {}) const;

  /// Loads a file likewise; each call reads it. Throws mxc::Error (InvalidInput) if it cannot be read.
  Module loadFile(const std::string &path, const std::string &tile = {}) const;

  EngineCounts counts() const;

private:
  struct State;
  std::shared_ptr<State> state_;
};

} // namespace mxc
