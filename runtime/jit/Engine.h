// Kernels of a device at run time: compiled, or found in the cache, or loaded from images; each once.
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
  /// Whose choices of tiles, and of the assembler where that is Auto, are preferred to the heuristics';
  /// looked at when a source is compiled.
  std::optional<TuningDatabase> tuning = TuningDatabase::ofUser();
  Assembler assembler = Assembler::Auto;
  /// Told what compilations warn of, and why a kernel could not be kept in the cache; by the thread that
  /// compiles. Throws nothing. Empty: nobody is told.
  std::function<void(const std::string &)> warn = {};
};

/// What an engine did so far.
struct EngineCounts {
  uint64_t compiled = 0, foundInCache = 0, loaded = 0; // loaded: modules, images that were given among them
  uint64_t tuned = 0; // of those compiled or found: with choices of the tuning database
};

/// Every thread may use it, and copies of it, at once: of those that ask for the same content one compiles
/// and loads it while the others wait. Modules stay loaded until the engine and whatever was taken from it
/// are gone. Nothing of the host is changed: no context is current afterwards that was not before, and what
/// mxc::compile promises holds.
///
///   Engine engine(openDevice("cuda:0"));
///   Kernel quantize = engine.loadFile("quantize.mlir").kernel("quantize");
///   quantize.launch({{"x", x}, {"q", q}, {"s", s}}, {.stream = stream});
class Engine {
public:
  /// Throws mxc::Error (Usage) where the environment's size of the cache is none.
  explicit Engine(const Device &device, EngineOptions options = {});

  const Device &device() const;

  /// MLIR text, which is compiled for the device (compileFor), or a cubin, fatbin or PTX that mxc compiled,
  /// by its first bytes; `name` stands in messages. `tile` as CompileOptions has it, for MLIR alone. A stream
  /// may be capturing meanwhile. Throws mxc::Error: what mxc::compile and Module::fromImage throw; Usage for
  /// a tile and an image. A failure is forgotten: the next call tries again.
  Module load(std::string_view content, const std::string &name, const std::string &tile = {}) const;

  /// The same of a file, read at each call. Throws mxc::Error (InvalidInput) if it cannot be read.
  Module loadFile(const std::string &path, const std::string &tile = {}) const;

  EngineCounts counts() const;

private:
  struct State;
  std::shared_ptr<State> state_;
};

} // namespace mxc
