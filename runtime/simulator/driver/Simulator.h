// The simulated driver of this process: its devices, and every handle it gave out.
#pragma once

#include "runtime/simulator/driver/HandleTable.h"
#include "runtime/simulator/driver/LoadedImage.h"
#include "runtime/simulator/driver/MemoryPool.h"
#include "runtime/simulator/driver/Refusal.h"
#include "runtime/simulator/driver/SimulatedDevice.h"
#include "runtime/simulator/driver/Stream.h"

namespace mxc::sim {

class Simulator {
public:
  static Simulator &
  instance(); // lives until the process ends: destructors of static objects may still call it

  /// cuInit. Without a device so far, the one of MXC_SIM_TARGET comes to be. Throws mxc::Error (Usage) for a
  /// bad MXC_SIM_*.
  void start();
  bool isStarted() const { return isStarted_; }

  /// The device of a target, made at the first call by optionsFromEnvironment. Throws mxc::Error: Usage for a
  /// target or an option that is none; Device without memory.
  SimulatedDevice &open(const std::string &target);

  int deviceCount() const;
  SimulatedDevice &device(CUdevice ordinal) const;          // throws Refusal (INVALID_DEVICE)
  SimulatedDevice *deviceReserving(uint64_t address) const; // null: it is the host's

  /// The calling thread's stack of contexts, the current one last; null entries are no context.
  std::vector<std::shared_ptr<Context>> &stack();
  std::shared_ptr<Context> current(); // throws Refusal: INVALID_CONTEXT, CONTEXT_IS_DESTROYED

  /// Frees what a context owns: memory, modules, streams, events, graphs.
  void destroyObjectsOf(Context &context);

  // Each throws Refusal (INVALID_HANDLE) for a handle that is none.
  std::shared_ptr<Stream> stream(const std::shared_ptr<Context> &current, CUstream handle);
  std::shared_ptr<Event> event(CUevent handle);
  std::shared_ptr<LoadedImage> module(CUmodule handle);
  std::shared_ptr<Function> function(CUfunction handle); // a CUkernel too: that one's in the current context
  std::shared_ptr<Function> functionOf(LoadedImage &image, const std::string &name); // null: it has none

  HandleTable<Context, CUcontext> contexts{1};
  HandleTable<Stream, CUstream> streams{2};
  HandleTable<Event, CUevent> events{3};
  HandleTable<LoadedImage, CUmodule> modules{4};
  HandleTable<Function, CUfunction> functions{5};
  HandleTable<Graph, CUgraph> graphs{6};
  HandleTable<GraphExecutable, CUgraphExec> graphExecutables{7};
  HandleTable<GraphNode, CUgraphNode> graphNodes{10};
  HandleTable<Library, CUlibrary> libraries{8};
  HandleTable<Kernel, CUkernel> kernels{9};
  HandleTable<MemoryPool, CUmemoryPool> memoryPools{11};

private:
  Simulator() = default;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<SimulatedDevice>> devices_; // grows only, so that references stay
  std::atomic<bool> isStarted_{false};
};

/// A new context with its default streams.
std::shared_ptr<Context> makeContext(SimulatedDevice &device, bool isPrimary);

/// The kernel of a library in a context: the library's module is loaded there at the first call. Throws
/// Refusal.
std::shared_ptr<LoadedImage> moduleOf(Library &library, const std::shared_ptr<Context> &context);

/// A module out of a chosen text. Throws ImageError: INVALID_PTX, OUT_OF_MEMORY.
std::shared_ptr<LoadedImage> loadPtx(const std::shared_ptr<Context> &context, const std::string &ptx);

} // namespace mxc::sim
