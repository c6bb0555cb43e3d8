#include "runtime/simulator/driver/Simulator.h"

#include "dialect/formats/Error.h"
#include "runtime/environment/Environment.h"

#include <new>
#include <pthread.h>
#include <utility>

namespace mxc::sim {

Simulator &Simulator::instance() {
  static Simulator *simulator = new Simulator;
  return *simulator;
}

void Simulator::start() {
  if (deviceCount() == 0) open(environment(EnvironmentVariable::SimulatorTarget).value_or("sm_100a"));
  isStarted_ = true;
}

SimulatedDevice &Simulator::open(const std::string &target) {
  const Chip *chip = chipFor(target);
  if (!chip)
    throw Error(ErrorKind::Usage,
                "no chip is simulated for target '" + target + "'; expected one of " + simulatedChipNames());
  std::lock_guard lock(mutex_);
  for (auto &device : devices_)
    if (&device->chip() == chip) return *device;
  Options options = optionsFromEnvironment(chip->target.text());
  auto device =
      std::make_unique<SimulatedDevice>(*chip, static_cast<int>(devices_.size()), std::move(options));
  device->primary = makeContext(*device, true);
  device->primary->isAlive = false;
  contexts.add(device->primary);
  return *devices_.emplace_back(std::move(device));
}

int Simulator::deviceCount() const {
  std::lock_guard lock(mutex_);
  return static_cast<int>(devices_.size());
}

SimulatedDevice &Simulator::device(CUdevice ordinal) const {
  std::lock_guard lock(mutex_);
  require(ordinal >= 0 && static_cast<size_t>(ordinal) < devices_.size(), CUDA_ERROR_INVALID_DEVICE);
  return *devices_[static_cast<size_t>(ordinal)];
}

SimulatedDevice *Simulator::deviceReserving(uint64_t address) const {
  std::lock_guard lock(mutex_);
  for (auto &device : devices_)
    if (device->memory().reserves(address)) return device.get();
  return nullptr;
}

static pthread_key_t makeStackKey() {
  pthread_key_t key;
  auto remove = [](void *stack) { delete static_cast<std::vector<std::shared_ptr<Context>> *>(stack); };
  if (pthread_key_create(&key, remove) != 0) throw std::bad_alloc();
  return key;
}

/// A thread's stack of contexts. Destructors of the thread's own objects may call the driver: a key's come
/// after them.
std::vector<std::shared_ptr<Context>> &Simulator::stack() {
  using Stack = std::vector<std::shared_ptr<Context>>;
  static const pthread_key_t key = makeStackKey();
  if (void *found = pthread_getspecific(key)) return *static_cast<Stack *>(found);
  auto made = std::make_unique<Stack>();
  if (pthread_setspecific(key, made.get()) != 0) throw std::bad_alloc();
  return *made.release();
}

std::shared_ptr<Context> Simulator::current() {
  auto &contexts = stack();
  require(!contexts.empty() && contexts.back(), CUDA_ERROR_INVALID_CONTEXT);
  require(contexts.back()->isAlive, CUDA_ERROR_CONTEXT_IS_DESTROYED);
  return contexts.back();
}

void Simulator::destroyObjectsOf(Context &context) {
  auto isOurs = [&](const auto &object) { return object.context.get() == &context; };
  streams.removeIf([&](const Stream &stream) { return stream.context.lock().get() == &context; });
  events.removeIf(isOurs);
  graphs.removeIf(isOurs);
  graphExecutables.removeIf(isOurs);
  auto lock = context.device.exclusiveMemory();
  auto images = modules.removeIf(isOurs);
  functions.removeIf([&](const Function &function) {
    auto image = function.image.lock();
    return image && image->context.get() == &context;
  });
  images.clear();
  context.device.allocations().releaseAllOf(context);
  context.clear();
}

std::shared_ptr<Stream> Simulator::stream(const std::shared_ptr<Context> &current, CUstream handle) {
  if (!handle || handle == CU_STREAM_LEGACY) return current->legacyStream;
  if (handle == CU_STREAM_PER_THREAD) return current->perThreadStream;
  auto found = streams.find(handle);
  require(found && found->context.lock(), CUDA_ERROR_INVALID_HANDLE);
  return found;
}

std::shared_ptr<Event> Simulator::event(CUevent handle) {
  auto found = events.find(handle);
  require(found != nullptr, CUDA_ERROR_INVALID_HANDLE);
  return found;
}

std::shared_ptr<LoadedImage> Simulator::module(CUmodule handle) {
  auto found = modules.find(handle);
  require(found != nullptr, CUDA_ERROR_INVALID_HANDLE);
  return found;
}

std::shared_ptr<Function> Simulator::function(CUfunction handle) {
  if (auto found = functions.find(handle)) return found;
  auto kernel = kernels.find(reinterpret_cast<CUkernel>(handle));
  auto library = kernel ? kernel->library.lock() : nullptr;
  require(library != nullptr, CUDA_ERROR_INVALID_HANDLE);
  auto found = functionOf(*moduleOf(*library, current()), kernel->name);
  require(found != nullptr, CUDA_ERROR_NOT_FOUND);
  return found;
}

static const Program *decodedKernel(LoadedModule &module, const std::string &name) {
  try {
    return module.kernel(name);
  } catch (const Error &error) {
    std::fprintf(stderr, "simulator: %s\n", error.what());
    throw Refusal{CUDA_ERROR_INVALID_PTX};
  }
}

std::shared_ptr<Function> Simulator::functionOf(LoadedImage &image, const std::string &name) {
  std::lock_guard lock(image.mutex);
  auto found = image.functions.find(name);
  if (found != image.functions.end()) return found->second;
  const Program *program = decodedKernel(image.module, name);
  if (!program) return nullptr;
  auto function = std::make_shared<Function>();
  function->image = modules.find(image.handle);
  function->name = name;
  function->program = program;
  function->facts = &factsOf(*program);
  constexpr int kDefaultSharedBytes = 48 << 10; // without opting in
  function->settings.dynamicSharedBytes =
      std::max(0, kDefaultSharedBytes - static_cast<int>(function->facts->staticSharedBytes));
  functions.add(function);
  image.functions.emplace(name, function);
  return function;
}

std::shared_ptr<Context> makeContext(SimulatedDevice &device, bool isPrimary) {
  auto context = std::make_shared<Context>(device, isPrimary);
  context->legacyStream = std::make_shared<Stream>();
  context->perThreadStream = std::make_shared<Stream>();
  context->legacyStream->context = context->perThreadStream->context = context;
  context->legacyStream->id = 1, context->perThreadStream->id = 2;
  context->legacyStream->handle = CU_STREAM_LEGACY, context->perThreadStream->handle = CU_STREAM_PER_THREAD;
  return context;
}

} // namespace mxc::sim
