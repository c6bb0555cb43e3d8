// mxc for C++17: handles that free themselves, tensors with their element types, errors as exceptions, over
// mxc/mxc.h. Headers that `mxc compile --emit=header` writes are built on it.
//
//   mxc::host::Engine engine = mxc::host::openEngine("cuda:0");
//   mxc_kernels::quantize quantize(engine); // of quantize.hpp
//   quantize.launch({x, {rows, columns}}, {q, {rows, columns}}, {s, quantize.shape_of_s(rows, columns)},
//   {stream});
#ifndef MXC_HPP
#define MXC_HPP

#include <mxc/mxc.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <type_traits>

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
};
using Engine = std::unique_ptr<mxc_engine, Destroy>;
using Kernel = std::unique_ptr<mxc_kernel, Destroy>;
using Launch = std::unique_ptr<mxc_launch, Destroy>; // prepared: mxc_launch_enqueue
using Buffer = std::unique_ptr<mxc_buffer, Destroy>;
using Stream = std::unique_ptr<mxc_stream, Destroy>;

inline Engine openEngine(const char *device = "cuda:0", const mxc_engine_options *options = nullptr) {
  mxc_engine *engine = nullptr;
  check(mxc_engine_create(device, options, &engine));
  return Engine(engine);
}

inline Buffer allocate(const Engine &engine, std::size_t bytes) {
  mxc_buffer *buffer = nullptr;
  check(mxc_buffer_create(engine.get(), bytes, &buffer));
  return Buffer(buffer);
}

inline Stream makeStream(const Engine &engine) {
  mxc_stream *stream = nullptr;
  check(mxc_stream_create(engine.get(), &stream));
  return Stream(stream);
}

inline Kernel loadKernel(const Engine &engine, const void *image, std::size_t bytes, const char *name) {
  mxc_load_options options = {};
  options.struct_size = sizeof options;
  options.kernel = options.name = name;
  mxc_kernel *kernel = nullptr;
  check(mxc_kernel_load(engine.get(), image, bytes, &options, &kernel));
  return Kernel(kernel);
}

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
      : Tensor(mxc_buffer_address(buffer.get()), sizes, steps) {}
  /// A tensor that may be written may also be read.
  template <typename Written,
            typename = std::enable_if_t<std::is_const_v<Element> && std::is_same_v<Element, const Written>>>
  Tensor(const Tensor<Written, Rank> &other) : Tensor(other.address, other.shape, other.strides) {}
};

struct LaunchOptions {
  void *stream = nullptr; // a CUstream or cudaStream_t; null: the default stream
  bool pdl = false;       // programmatic dependent launch
};

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

inline mxc_launch_options launchOptions(const LaunchOptions &options) {
  mxc_launch_options result = {};
  result.struct_size = sizeof result;
  result.stream = options.stream;
  result.pdl = options.pdl;
  return result;
}

template <std::size_t Count>
void launch(const Kernel &kernel, const std::array<mxc_argument, Count> &arguments,
            const LaunchOptions &options) {
  const mxc_launch_options given = launchOptions(options);
  check(mxc_kernel_launch(kernel.get(), arguments.data(), Count, &given));
}

template <std::size_t Count>
Launch prepare(const Kernel &kernel, const std::array<mxc_argument, Count> &arguments,
               const LaunchOptions &options) {
  const mxc_launch_options given = launchOptions(options);
  mxc_launch *launch = nullptr;
  check(mxc_kernel_prepare(kernel.get(), arguments.data(), Count, &given, &launch));
  return Launch(launch);
}

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
