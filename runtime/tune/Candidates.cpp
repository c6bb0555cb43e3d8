#include "runtime/tune/Candidates.h"

#include "compiler/CompilerIdentity.h"
#include "compiler/TileListing.h"
#include "dialect/formats/Error.h"
#include "runtime/jit/Engine.h"
#include "runtime/jit/TunedTiles.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

namespace mxc::tune {

static const KernelTiles &kernelNamed(const std::vector<KernelTiles> &kernels, const std::string &name,
                                      const std::string &sourceName) {
  std::string names;
  for (const KernelTiles &kernel : kernels) {
    if (kernel.kernel == name || (name.empty() && kernels.size() == 1)) return kernel;
    names += (names.empty() ? "" : ", ") + kernel.kernel;
  }
  throw Error(ErrorKind::InvalidInput, sourceName +
                                           (name.empty() ? " holds several kernels: choose one of "
                                                         : " holds no kernel '" + name + "', but ") +
                                           names);
}

static std::vector<Assembler> assemblersAtHand(const Device &device) {
  std::vector<Assembler> assemblers;
  if (device.driver().takesCubins)
    for (Assembler assembler : {Assembler::NvJitLink, Assembler::Ptxas})
      if (hasAssembler(assembler)) assemblers.push_back(assembler);
  if (assemblers.empty()) assemblers.push_back(Assembler::Auto);
  return assemblers;
}

/// Runs `work` for every index on several threads. It throws nothing.
static void inParallel(size_t count, unsigned threads, const std::function<void(size_t)> &work) {
  std::atomic<size_t> next = 0;
  auto take = [&] {
    for (size_t index; (index = next++) < count;)
      work(index);
  };
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> workers;
  try {
    for (size_t i = 1; i < std::min<size_t>(threads, count); ++i)
      workers.emplace_back(take);
  } catch (const std::system_error &) { // no more threads to be had: these will do
  }
  take();
}

Candidates candidatesOf(const Device &device, std::string_view source, const std::string &sourceName,
                        const std::string &name, const CandidateOptions &options) {
  const std::vector<KernelTiles> kernels = listTiles(source, sourceName, targetFor(device));
  const KernelTiles &kernel = kernelNamed(kernels, name, sourceName);
  if (kernel.areWritten)
    throw Error(ErrorKind::InvalidInput,
                sourceName + ": the tiles of kernel '" + kernel.kernel +
                    "' are written in it: nobody else chooses; remove `tiles = ..` to "
                    "tune it");
  std::vector<Assembler> assemblers = options.assemblers;
  if (assemblers.empty()) assemblers = assemblersAtHand(device);
  std::map<Assembler, Engine> engines;
  auto engineOf = [&](Assembler assembler) -> const Engine & {
    EngineOptions engine{options.cache, std::nullopt, assembler};
    return engines.try_emplace(assembler, device, std::move(engine)).first->second;
  };

  Candidates result{kernel.kernel, kernel.text, {}, {}};
  std::vector<Assembler> assemblerOf;
  for (Assembler assembler : assemblers) {
    engineOf(assembler);
    auto add = [&](const std::string &tile, const std::string &refusal) {
      result.all.push_back({tile, std::string(mxc::name(assembler)), refusal});
      assemblerOf.push_back(assembler);
    };
    for (const ListedTile &tile : kernel.tiles)
      add(tile.tile, tile.refusal);
    if (kernel.tiles.empty()) add("", "");
  }
  std::mutex mutex;
  size_t done = 0;
  inParallel(result.all.size(), options.threads, [&](size_t index) {
    Candidate &candidate = result.all[index];
    try {
      if (candidate.refusal.empty())
        candidate.kernel =
            engines.at(assemblerOf[index]).load(source, sourceName, candidate.tile).kernel(kernel.kernel);
    } catch (const std::exception &error) {
      candidate.refusal = error.what();
    }
    std::lock_guard lock(mutex);
    ++done;
    if (options.progress) options.progress(done, result.all.size());
  });
  result.untuned = engineOf(assemblers.front()).load(source, sourceName).kernel(kernel.kernel);
  return result;
}

} // namespace mxc::tune
