// Tensors of others, and ours for them.
#include "runtime/c/Dlpack.h"
#include "tests/unit/c/Host.h"

using Catch::Contains;
using namespace mxc::dlpack;

namespace {

/// DLPack tensors over a host's buffers, in its arguments' places.
class DlpackHost : public Host {
public:
  DlpackHost() {
    const mxc_buffer *buffers[] = {x, q, s};
    for (size_t i = 0; i < 3; ++i) {
      REQUIRE(mxc_buffer_to_dlpack(buffers[i], arguments[i].type, 2, arguments[i].shape, &tensors[i]) ==
              MXC_OK);
      mxc_argument argument = {};
      argument.struct_size = sizeof argument;
      argument.name = arguments[i].name;
      argument.value = MXC_VALUE_DLPACK;
      argument.dlpack = tensors[i];
      arguments[i] = argument;
    }
  }
  ~DlpackHost() {
    for (DLManagedTensorVersioned *tensor : tensors)
      tensor->deleter(tensor);
  }
  std::array<DLManagedTensorVersioned *, 3> tensors = {};
};

} // namespace

TEST_CASE("DLPack: a launch on tensors of another library", "[c]") {
  DlpackHost host;
  CHECK(host.launch() == MXC_OK);
  CHECK(host.isQuantized());
}

TEST_CASE("DLPack: no strides, an offset, and codes and scales as bytes", "[c]") {
  DlpackHost host;
  for (DLManagedTensorVersioned *tensor : host.tensors)
    tensor->dl_tensor.strides = nullptr;
  DLTensor &x = host.tensors[0]->dl_tensor;
  x.data = static_cast<char *>(x.data) - 64;
  x.byte_offset = 64;
  for (size_t i : {1, 2})
    host.tensors[i]->dl_tensor.dtype = {UInt, 8, 1};
  CHECK(host.launch() == MXC_OK);
  CHECK(host.isQuantized());
}

TEST_CASE("DLPack: what no kernel can use is refused by name", "[c]") {
  DlpackHost host;
  auto refusal = [&] {
    CHECK(host.launch() == MXC_INVALID_INPUT);
    return std::string(mxc_last_error());
  };
  DLManagedTensorVersioned &q = *host.tensors[1];
  const DLManagedTensorVersioned right = q;
  q.version.major = 2;
  CHECK_THAT(refusal(), Contains("kernel 'k': argument 'q': DLPack tensor of version 2: expected 1"));
  q = right;
  q.dl_tensor.device = {Cpu, 0};
  CHECK_THAT(refusal(),
             Contains("on the device of type 1, number 0: expected simulator:sm_100a (type 12, number 100)"));
  q = right;
  q.dl_tensor.device.device_id = 1;
  CHECK_THAT(refusal(), Contains("number 1: expected"));
  q.dl_tensor.device.device_id = 0; // of a host that numbers no chips
  CHECK(host.launch() == MXC_OK);
  q = right;
  q.flags = kReadOnly;
  CHECK_THAT(refusal(), Contains("may only be read, but the kernel writes it"));
  q = right;
  host.tensors[0]->dl_tensor.dtype = {UInt, 8, 1}; // bytes for 16 bits
  CHECK_THAT(refusal(), Contains("argument 'x': type: expected bf16, found u8"));
  host.tensors[0]->dl_tensor.dtype = {Bfloat, 16, 1};
  q.dl_tensor.dtype.lanes = 4;
  CHECK_THAT(refusal(), Contains("code 10, 8 bits, 4 lanes: no kernel takes these"));
  q.dl_tensor.dtype = {Float4E2M1FN, 4, 2};
  CHECK_THAT(refusal(), Contains("argument 'q': type: expected e4m3, found e2m1"));
  q = right;
  q.dl_tensor.ndim = INT32_MAX; // its shape is not read
  CHECK_THAT(refusal(), Contains("DLPack tensor of 2147483647 dimensions: expected at most 5"));
  q = right;
  q.dl_tensor.ndim = 1;
  CHECK_THAT(refusal(), Contains("'q'"));
  q = right;
  host.tensors[0]->flags = kReadOnly; // an input may be
  CHECK(host.launch() == MXC_OK);
}

TEST_CASE("DLPack: a tensor of another simulated chip is refused", "[c]") {
  Host host;
  mxc_engine *engine = nullptr;
  mxc_buffer *buffer = nullptr;
  DLManagedTensorVersioned *tensor = nullptr;
  REQUIRE(mxc_engine_create("simulator:sm_90a", nullptr, &engine) == MXC_OK);
  REQUIRE(mxc_buffer_create(engine, 8 * 64 * 2, &buffer) == MXC_OK);
  REQUIRE(mxc_buffer_to_dlpack(buffer, "bf16", 2, host.matrix.data(), &tensor) == MXC_OK);
  host.arguments[0].value = MXC_VALUE_DLPACK;
  host.arguments[0].dlpack = tensor;
  CHECK(host.launch() == MXC_INVALID_INPUT);
  CHECK_THAT(mxc_last_error(), Contains("argument 'x': DLPack tensor on the device of type 12, number 90: "
                                        "expected simulator:sm_100a (type 12, number 100)"));
  tensor->deleter(tensor);
  mxc_buffer_destroy(buffer);
  mxc_engine_destroy(engine);
}

TEST_CASE("DLPack: a tensor of ours, and memory that outlives its buffer", "[c]") {
  Host host;
  DLManagedTensorVersioned *tensor = nullptr;
  const int64_t shape[] = {2, 4, 64};
  REQUIRE(mxc_buffer_to_dlpack(host.x, "bf16", 3, shape, &tensor) == MXC_OK);
  CHECK(tensor->version.major == 1);
  CHECK(tensor->dl_tensor.device.device_type == ExtensionDevice);
  CHECK((tensor->dl_tensor.dtype.code == Bfloat && tensor->dl_tensor.dtype.bits == 16));
  REQUIRE(tensor->dl_tensor.ndim == 3);
  CHECK(tensor->dl_tensor.shape[1] == 4);
  CHECK(tensor->dl_tensor.strides[0] == 256);
  CHECK(tensor->dl_tensor.strides[2] == 1);
  mxc_buffer_destroy(std::exchange(host.x, nullptr));
  host.arguments[0].value = MXC_VALUE_DLPACK;
  host.arguments[0].dlpack = tensor;
  int64_t matrix[] = {8, 64};
  tensor->dl_tensor.ndim = 2;
  tensor->dl_tensor.shape = matrix;
  tensor->dl_tensor.strides = nullptr;
  CHECK(host.launch() == MXC_OK);
  CHECK(host.isQuantized());
  tensor->deleter(tensor);
}

TEST_CASE("DLPack: tensors beyond their buffer and of no type", "[c]") {
  Host host;
  DLManagedTensorVersioned *tensor = nullptr;
  const int64_t shape[] = {9, 64};
  CHECK(mxc_buffer_to_dlpack(host.x, "bf16", 2, shape, &tensor) == MXC_INVALID_INPUT);
  CHECK_THAT(mxc_last_error(), Contains("a tensor of 1152 bytes over a buffer of 1024"));
  CHECK(mxc_buffer_to_dlpack(host.x, "complex", 2, shape, &tensor) == MXC_INVALID_INPUT);
  CHECK(mxc_buffer_to_dlpack(host.x, "bf16", 6, shape, &tensor) == MXC_USAGE);
  CHECK(tensor == nullptr);
}
