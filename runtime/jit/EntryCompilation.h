// A source whose entry points are compiled one at a time: the one that a launch waits for, the others on
// threads meanwhile.
#pragma once

#include "runtime/jit/DeviceCompilation.h"
#include "runtime/jit/KernelCache.h"
#include "runtime/launch/EntrySource.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mxc {

class EntryCompilation : public EntrySource {
public:
  struct Source {
    std::string text, name;
    CompileOptions options;           // as for compileFor
    ContentHash key;                  // of the whole kernel
    std::vector<std::string> entries; // the ABI's, in its order
    std::optional<KernelCache> cache;
    std::function<void(const std::string &)>
        warn; // as EngineOptions has it; on threads that wait for an entry
  };
  EntryCompilation(const Device &device, Source source);
  /// Waits for nothing: entries that are being compiled are given up at their next step.
  ~EntryCompilation() override;

  /// Compiles the entry, or waits for the thread that does. Once the process has compiled an entry, and did
  /// not find it in the cache, threads of low priority compile the others; they end soon after this object,
  /// and before the process runs the destructors of LLVM's static objects (decision 0052).
  std::string image(const std::string &entry) override;

private:
  struct State;
  std::shared_ptr<State> state_;
};

} // namespace mxc
