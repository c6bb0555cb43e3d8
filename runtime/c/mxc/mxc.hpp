// mxc for C++17: objects that free themselves, launches by name, tensors with their element types, errors as
// exceptions, over mxc/mxc.h, which says what each call does. Headers that `mxc compile --emit=header` writes
// are built on it.
//
//   mxc::host::Engine engine("cuda:0");
//   mxc::host::Kernel quantize = engine.loadFile("quantize.mlir");
//   mxc::host::Buffer x(engine, rows * columns * 2), ..
//   quantize.launch({{"x", x.view("bf16", {rows, columns})}, {"q", q.view("e4m3", {rows, columns})}, ..},
//   {stream});
//
// Options that are empty stand for mxc.h's NULL. Functions throw mxc::host::Error.
#ifndef MXC_HPP
#define MXC_HPP

#include <mxc/mxc.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace mxc::host {

class Error : public std::runtime_error {
public:
  Error(mxc_status status, const char *text) : std::runtime_error(text), status_(status) {}
  mxc_status status() const { return status_; }

private:
  mxc_status status_;
};

inline void check(mxc_status status) {
  if (status != MXC_OK) throw Error(status, mxc_last_error());
}

struct Destroy {
  void operator()(mxc_engine *engine) const { mxc_engine_destroy(engine); }
  void operator()(mxc_kernel *kernel) const { mxc_kernel_destroy(kernel); }
  void operator()(mxc_launch *launch) const { mxc_launch_destroy(launch); }
  void operator()(mxc_buffer *buffer) const { mxc_buffer_destroy(buffer); }
  void operator()(mxc_stream *stream) const { mxc_stream_destroy(stream); }
  void operator()(mxc_bytes *bytes) const { mxc_bytes_destroy(bytes); }
};

/// An object of mxc.h's, moved and not copied; `get` is for calls of C.
template <typename Object> class Owner {
public:
  Object *get() const { return object_.get(); }

protected:
  explicit Owner(Object *object) : object_(object) {}

private:
  std::unique_ptr<Object, Destroy> object_;
};

inline const char *orNull(const std::string &option) { return option.empty() ? nullptr : option.c_str(); }
inline const char *orNull(const std::optional<std::string> &option) {
  return option ? option->c_str() : nullptr;
}

inline std::string version() { return mxc_version(); }
inline bool hasCompiler() { return mxc_has_compiler() != 0; }

/// A tensor whose element type is known at run time: "bf16", "e4m3", ..
struct View {
  std::uint64_t address = 0;
  std::string type;
  std::vector<std::int64_t> shape, strides; // elements; no strides: contiguous, the last dimension innermost
};

class Engine;

/// Device memory. Copies are complete on return; mxc.h says for what they wait.
class Buffer : public Owner<mxc_buffer> {
public:
  Buffer(const Engine &engine, std::size_t bytes);

  std::uint64_t address() const { return mxc_buffer_address(get()); }
  std::size_t bytes() const { return mxc_buffer_bytes(get()); }

  void upload(const void *source, std::size_t bytes, std::size_t offset = 0) const {
    check(mxc_buffer_upload(get(), offset, source, bytes));
  }
  void download(void *destination, std::size_t bytes, std::size_t offset = 0) const {
    check(mxc_buffer_download(get(), offset, destination, bytes));
  }
  /// Does the same with a container whose elements lie side by side.
  template <typename Container>
  auto upload(const Container &source) const -> decltype(source.data(), void()) {
    upload(source.data(), source.size() * sizeof *source.data());
  }
  /// All of the memory.
  template <typename Element> std::vector<Element> download() const {
    std::vector<Element> result(bytes() / sizeof(Element));
    download(result.data(), result.size() * sizeof(Element));
    return result;
  }

  View view(std::string type, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides = {}) const {
    return {address(), std::move(type), std::move(shape), std::move(strides)};
  }
  /// A contiguous tensor that keeps the memory alive until its deleter is called.
  DLManagedTensorVersioned *toDlpack(const std::string &type, const std::vector<std::int64_t> &shape) const {
    DLManagedTensorVersioned *tensor = nullptr;
    check(mxc_buffer_to_dlpack(get(), type.c_str(), static_cast<int>(shape.size()), shape.data(), &tensor));
    return tensor;
  }
};

/// Element types: tags, for what is in device memory.
#define MXC_HOST_ELEMENT(type)                                                                               \
  struct type {                                                                                              \
    static constexpr const char *name = #type;                                                               \
  };
MXC_HOST_ELEMENT(f32)
MXC_HOST_ELEMENT(f16)
MXC_HOST_ELEMENT(bf16)
MXC_HOST_ELEMENT(i32)
MXC_HOST_ELEMENT(i64)
MXC_HOST_ELEMENT(u8)
MXC_HOST_ELEMENT(e4m3)
MXC_HOST_ELEMENT(e5m2)
MXC_HOST_ELEMENT(e2m3)
MXC_HOST_ELEMENT(e3m2)
MXC_HOST_ELEMENT(e2m1)
MXC_HOST_ELEMENT(ue8m0)
MXC_HOST_ELEMENT(ue4m3)
#undef MXC_HOST_ELEMENT

/// A tensor in device memory: Tensor<const bf16, 2> is read, Tensor<e4m3, 2> written.
template <typename Element, std::size_t Rank> struct Tensor {
  std::uint64_t address = 0;
  std::array<std::int64_t, Rank> shape{};   // elements
  std::array<std::int64_t, Rank> strides{}; // elements; all zero: contiguous, the last dimension innermost

  using Pointer = std::conditional_t<std::is_const_v<Element>, const void *, void *>;
  using Sizes = std::array<std::int64_t, Rank>;
  Tensor(std::uint64_t place, const Sizes &sizes, const Sizes &steps = {})
      : address(place), shape(sizes), strides(steps) {}
  Tensor(Pointer pointer, const Sizes &sizes, const Sizes &steps = {})
      : Tensor(reinterpret_cast<std::uintptr_t>(pointer), sizes, steps) {}
  Tensor(const Buffer &buffer, const Sizes &sizes, const Sizes &steps = {})
      : Tensor(buffer.address(), sizes, steps) {}
  /// A tensor that may be written may also be read.
  template <typename Written,
            typename = std::enable_if_t<std::is_const_v<Element> && std::is_same_v<Element, const Written>>>
  Tensor(const Tensor<Written, Rank> &other) : Tensor(other.address, other.shape, other.strides) {}
};

struct LaunchOptions {
  void *stream = nullptr; // a CUstream, cudaStream_t or Stream; null: the default stream
  bool pdl = false;       // programmatic dependent launch
};

/// An argument by its name, of a launch whose kernel is known at run time alone. A DLPack tensor is borrowed.
struct Argument {
  std::string name;
  std::variant<View, const DLManagedTensorVersioned *, std::int64_t, double> value;

  Argument(std::string itsName, View view) : name(std::move(itsName)), value(std::move(view)) {}
  Argument(std::string itsName, const DLManagedTensorVersioned *tensor)
      : name(std::move(itsName)), value(tensor) {}
  template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
  Argument(std::string itsName, Number number) : name(std::move(itsName)) {
    if constexpr (std::is_floating_point_v<Number>)
      value = double(number);
    else
      value = std::int64_t(number);
  }
  template <typename Element, std::size_t Rank>
  Argument(std::string itsName, const Tensor<Element, Rank> &tensor)
      : Argument(std::move(itsName), View{tensor.address,
                                          std::remove_const_t<Element>::name,
                                          {tensor.shape.begin(), tensor.shape.end()},
                                          {}}) {
    if (tensor.strides != std::array<std::int64_t, Rank>{})
      std::get<View>(value).strides.assign(tensor.strides.begin(), tensor.strides.end());
  }
};
using Arguments = std::vector<Argument>;

/// Arguments as mxc.h takes them; they borrow the tensors' shapes.
template <typename Element, std::size_t Rank>
mxc_argument argument(const char *name, const Tensor<Element, Rank> &tensor) {
  mxc_argument result = {};
  result.struct_size = sizeof result;
  result.name = name;
  result.value = MXC_VALUE_TENSOR;
  result.type = std::remove_const_t<Element>::name;
  result.address = tensor.address;
  result.rank = static_cast<int>(Rank);
  result.shape = tensor.shape.data();
  if (tensor.strides != std::array<std::int64_t, Rank>{}) result.strides = tensor.strides.data();
  return result;
}

inline mxc_argument argument(const char *name, std::int64_t integer) {
  mxc_argument result = {};
  result.struct_size = sizeof result;
  result.name = name;
  result.value = MXC_VALUE_INTEGER;
  result.integer = integer;
  return result;
}

inline mxc_argument argument(const char *name, double real) {
  mxc_argument result = {};
  result.struct_size = sizeof result;
  result.name = name;
  result.value = MXC_VALUE_REAL;
  result.real = real;
  return result;
}

inline mxc_argument argument(const char *name, const View &view) {
  mxc_argument result = {};
  result.struct_size = sizeof result;
  result.name = name;
  result.value = MXC_VALUE_TENSOR;
  result.type = view.type.c_str();
  result.address = view.address;
  result.rank = static_cast<int>(view.shape.size());
  result.shape = view.shape.data();
  if (!view.strides.empty()) {
    if (view.strides.size() != view.shape.size())
      throw Error(MXC_USAGE,
                  ("argument '" + std::string(name) + "' has " + std::to_string(view.strides.size()) +
                   " strides: expected " + std::to_string(view.shape.size()) + ", as its shape")
                      .c_str());
    result.strides = view.strides.data();
  }
  return result;
}

inline mxc_argument argument(const char *name, const DLManagedTensorVersioned *tensor) {
  mxc_argument result = {};
  result.struct_size = sizeof result;
  result.name = name;
  result.value = MXC_VALUE_DLPACK;
  result.dlpack = tensor;
  return result;
}

/// They borrow from `arguments`.
inline std::vector<mxc_argument> borrowed(const Arguments &arguments) {
  std::vector<mxc_argument> result;
  result.reserve(arguments.size());
  for (const Argument &given : arguments)
    result.push_back(
        std::visit([&](const auto &value) { return argument(given.name.c_str(), value); }, given.value));
  return result;
}

inline mxc_launch_options launchOptions(const LaunchOptions &options) {
  mxc_launch_options result = {};
  result.struct_size = sizeof result;
  result.stream = options.stream;
  result.pdl = options.pdl;
  return result;
}

/// Prepared: its tensors must stay where they are.
class Launch : public Owner<mxc_launch> {
public:
  explicit Launch(mxc_launch *launch) : Owner(launch) {}
  /// Enqueues it on a CUstream, cudaStream_t or Stream; null: the default stream.
  void enqueue(void *stream = nullptr) const { check(mxc_launch_enqueue(get(), stream)); }
};

using ArgumentInfo = mxc_argument_info;

class Kernel : public Owner<mxc_kernel> {
public:
  explicit Kernel(mxc_kernel *kernel) : Owner(kernel) {}

  std::string name() const { return mxc_kernel_name(get()); }

  std::vector<ArgumentInfo> arguments() const { // their texts live as long as the kernel
    std::vector<ArgumentInfo> result(mxc_kernel_argument_count(get()));
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i].struct_size = sizeof result[i];
      check(mxc_kernel_argument(get(), i, &result[i]));
    }
    return result;
  }

  /// The shape that an argument must have, given others.
  std::vector<std::int64_t> shape(std::string_view argument, const Arguments &given) const {
    const std::vector<ArgumentInfo> known = arguments();
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (argument != known[i].name) continue;
      const std::vector<mxc_argument> list = borrowed(given);
      std::vector<std::int64_t> sizes(MXC_MAXIMUM_RANK);
      int rank = 0;
      check(mxc_kernel_shape(get(), list.data(), list.size(), i, sizes.data(), &rank));
      sizes.resize(static_cast<std::size_t>(rank));
      return sizes;
    }
    throw Error(MXC_USAGE,
                ("kernel '" + name() + "' has no argument '" + std::string(argument) + "'").c_str());
  }

  /// Checks the arguments and enqueues one launch.
  void launch(const Arguments &given, const LaunchOptions &options = {}) const {
    const std::vector<mxc_argument> list = borrowed(given);
    launch(list.data(), list.size(), options);
  }
  void launch(const mxc_argument *list, std::size_t count, const LaunchOptions &options) const {
    const mxc_launch_options chosen = launchOptions(options);
    check(mxc_kernel_launch(get(), list, count, &chosen));
  }

  /// Prepares repeated launches; the options' stream is not used.
  Launch prepare(const Arguments &given, const LaunchOptions &options = {}) const {
    const std::vector<mxc_argument> list = borrowed(given);
    return prepare(list.data(), list.size(), options);
  }
  Launch prepare(const mxc_argument *list, std::size_t count, const LaunchOptions &options) const {
    const mxc_launch_options chosen = launchOptions(options);
    mxc_launch *launch = nullptr;
    check(mxc_kernel_prepare(get(), list, count, &chosen, &launch));
    return Launch(launch);
  }
};

struct EngineOptions {
  std::optional<std::string> cacheFolder; // "": no cache
  std::uint64_t cacheBytes = 0;
  std::function<void(std::string_view)> warn; // may not throw
  std::optional<std::string> tuningFile;      // "": none
  std::string checks, schedule;               // of a simulator
};

struct LoadOptions {
  std::string kernel, tile, name;
};

/// A device, and the kernels that were loaded on it.
class Engine : public Owner<mxc_engine> {
public:
  explicit Engine(const std::string &device = "cuda:0", EngineOptions options = {})
      : Engine(device, options, std::make_shared<std::function<void(std::string_view)>>(options.warn)) {}

  std::string model() const { return mxc_engine_model(get()); }
  void trim() const { check(mxc_engine_trim(get())); } // gives back memory of workspaces

  /// Loads MLIR's text, or an image that mxc compiled.
  Kernel load(const void *content, std::size_t bytes, const LoadOptions &options = {}) const {
    const mxc_load_options chosen = loadOptions(options);
    mxc_kernel *kernel = nullptr;
    check(mxc_kernel_load(get(), content, bytes, &chosen, &kernel));
    return Kernel(kernel);
  }
  Kernel load(std::string_view content, const LoadOptions &options = {}) const {
    return load(content.data(), content.size(), options);
  }
  Kernel loadFile(const std::string &path, const LoadOptions &options = {}) const {
    const mxc_load_options chosen = loadOptions(options);
    mxc_kernel *kernel = nullptr;
    check(mxc_kernel_load_file(get(), path.c_str(), &chosen, &kernel));
    return Kernel(kernel);
  }

private:
  using Warn = std::shared_ptr<std::function<void(std::string_view)>>;

  Engine(const std::string &device, const EngineOptions &options, Warn warn)
      : Owner(create(device, options, warn.get())), warn_(std::move(warn)) {}

  static mxc_engine *create(const std::string &device, const EngineOptions &options,
                            std::function<void(std::string_view)> *warn) {
    mxc_engine_options given = {};
    given.struct_size = sizeof given;
    given.cache_folder = orNull(options.cacheFolder);
    given.cache_bytes = options.cacheBytes;
    given.tuning_file = orNull(options.tuningFile);
    given.checks = orNull(options.checks);
    given.schedule = orNull(options.schedule);
    if (*warn)
      given.warn = [](void *context, const char *text) {
        (*static_cast<std::function<void(std::string_view)> *>(context))(text);
      };
    given.warn_context = warn;
    mxc_engine *engine = nullptr;
    check(mxc_engine_create(device.c_str(), &given, &engine));
    return engine;
  }

  static mxc_load_options loadOptions(const LoadOptions &options) {
    mxc_load_options given = {};
    given.struct_size = sizeof given;
    given.kernel = orNull(options.kernel);
    given.tile = orNull(options.tile);
    given.name = orNull(options.name);
    return given;
  }

  Warn warn_;
};

class Stream : public Owner<mxc_stream> {
public:
  explicit Stream(const Engine &engine) : Owner(create(engine)) {}
  void *handle() const { return mxc_stream_handle(get()); } // a CUstream
  operator void *() const { return handle(); }
  void synchronize() const { check(mxc_stream_synchronize(get())); }

private:
  static mxc_stream *create(const Engine &engine) {
    mxc_stream *stream = nullptr;
    check(mxc_stream_create(engine.get(), &stream));
    return stream;
  }
};

struct CompileOptions {
  std::string targets, stage, tile, name;
};

/// Compiles MLIR's text ahead of time, to an image or to a stage's text.
inline std::string compile(std::string_view source, const CompileOptions &options = {}) {
  mxc_compile_options given = {};
  given.struct_size = sizeof given;
  given.targets = orNull(options.targets);
  given.stage = orNull(options.stage);
  given.tile = orNull(options.tile);
  given.name = orNull(options.name);
  mxc_bytes *output = nullptr;
  check(mxc_compile(source.data(), source.size(), &given, &output));
  const std::unique_ptr<mxc_bytes, Destroy> owner(output);
  return {static_cast<const char *>(mxc_bytes_data(output)), mxc_bytes_size(output)};
}

/// Takes over what `mxc tune --export` wrote; no file: the user's database.
inline void importTuning(const std::string &bundle, const std::optional<std::string> &tuningFile = {}) {
  check(mxc_tuning_import(bundle.c_str(), orNull(tuningFile)));
}

inline Buffer::Buffer(const Engine &engine, std::size_t bytes)
    : Owner([&] {
        mxc_buffer *buffer = nullptr;
        check(mxc_buffer_create(engine.get(), bytes, &buffer));
        return buffer;
      }()) {}

/// Expressions of shapes are made of these.
constexpr std::int64_t ceildiv(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
constexpr std::int64_t min(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
constexpr std::int64_t max(std::int64_t a, std::int64_t b) { return a < b ? b : a; }
/// The size of scales in the layout of tcgen05: whole tiles of 128 rows and 4 blocks.
constexpr std::int64_t tcgen05Bytes(std::int64_t rows, std::int64_t blocks) {
  return ceildiv(rows, 128) * ceildiv(blocks, 4) * 512;
}

} // namespace mxc::host

#endif
