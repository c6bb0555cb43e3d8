// A launch on tensors of Python without Python's code between: runtime/python gets it as a built-in function.
// Only runtime/python uses this, so it is not in mxc.h.
#include "runtime/c/DlpackTensor.h"
#include "runtime/c/Handles.h"
#include "runtime/c/LiveHandles.h"
#include "runtime/c/Python.h"
#include "runtime/c/Status.h"

#include <atomic>
#include <bit>

using namespace mxc;
using namespace mxc::c;

namespace {

/// What the function returns instead of a status: Python's own way takes the call, or says what is wrong.
constexpr long kNotUnderstood = -1;

/// A type whose tensors tell C what they are. It lives as long as the process.
struct TensorType {
  PyObject *type;
  const DLPackExchangeAPI *api;
  const TensorType *next;
};
std::atomic<const TensorType *> knownTypes = nullptr;

PyObject *typeOf(PyObject *object) {
  PyObject *type = PyObject_Type(object);
  Py_DecRef(type); // the object keeps it
  return type;
}

const DLPackExchangeAPI *apiOf(PyObject *type) {
  for (const TensorType *known = knownTypes.load(); known; known = known->next)
    if (known->type == type) return known->api;
  return nullptr;
}

/// Takes the tensors of one call while the interpreter's lock is held: the arguments hold nothing of
/// Python's.
class Reader {
public:
  explicit Reader(const Kernel &kernel) : kernel_(kernel) {
    arguments.reserve(kernel.abi().arguments.size());
  }

  /// False: this is nothing that it knows.
  bool take(const AbiArgument &abi, PyObject *value) {
    PyObject *type = typeOf(value);
    if (const DLPackExchangeAPI *api = apiOf(type)) return takeTensor(abi, *api, value);
    if (type == &PyLong_Type) return takeNumber(abi, static_cast<int64_t>(PyLong_AsLongLong(value)));
    return type == &PyFloat_Type && takeNumber(abi, PyFloat_AsDouble(value));
  }

  /// The stream on which the library of the first tensor works now.
  bool currentStream(void *&stream) const {
    stream = nullptr;
    return !first_ || first_->current_work_stream(device_.device_type, device_.device_id, &stream) == 0;
  }

  Arguments arguments;

private:
  bool takeTensor(const AbiArgument &abi, const DLPackExchangeAPI &api, PyObject *value) {
    DLTensor tensor;
    if (api.dltensor_from_py_object_no_sync(value, &tensor) != 0) return false;
    const char *type = elementNameOf(tensor.dtype, &abi);
    if (!type || tensor.ndim < 0 || tensor.ndim > MXC_MAXIMUM_RANK ||
        !isMemoryOf(kernel_.module().device(), tensor.device))
      return false;
    if (!first_) first_ = &api, device_ = tensor.device;
    TensorView &view = arguments.emplace_back(abi.name, TensorView{}).view;
    view.address = std::bit_cast<uint64_t>(tensor.data) + tensor.byte_offset;
    view.type = type;
    view.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
    if (tensor.strides) view.strides.assign(tensor.strides, tensor.strides + tensor.ndim);
    return true;
  }

  template <typename Number> bool takeNumber(const AbiArgument &abi, Number number) {
    if (PyErr_Occurred()) return false; // it does not fit
    arguments.emplace_back(abi.name, number);
    return true;
  }

  const Kernel &kernel_;
  const DLPackExchangeAPI *first_ = nullptr;
  DLDevice device_ = {};
};

/// False: a value is nothing that the reader knows.
bool read(Reader &reader, const Kernel &kernel, PyObject *const *values, std::ptrdiff_t count) {
  std::ptrdiff_t i = 0;
  for (const AbiArgument &argument : kernel.abi().arguments) {
    if (argument.kind == ArgumentKind::Workspace) continue;
    if (i == count || !reader.take(argument, values[i++])) return false;
  }
  return i == count;
}

long launch(PyObject *const *values, std::ptrdiff_t count) {
  if (count < 3) return kNotUnderstood;
  const auto *handle = static_cast<const mxc_kernel *>(PyLong_AsVoidPtr(values[0]));
  const bool asksForStream = values[1] == &_Py_NoneStruct;
  LaunchOptions options;
  if (!asksForStream) options.stream = static_cast<CUstream>(PyLong_AsVoidPtr(values[1]));
  options.pdl = PyLong_AsLongLong(values[2]) != 0;
  if (PyErr_Occurred()) return kNotUnderstood;
  bool isUnderstood = true;
  const mxc_status status = guarded([&] {
    const Kernel &kernel = alive(handle, "kernel").kernel;
    Reader reader(kernel);
    void *stream = options.stream;
    isUnderstood =
        read(reader, kernel, values + 3, count - 3) && (!asksForStream || reader.currentStream(stream));
    if (!isUnderstood) return;
    options.stream = static_cast<CUstream>(stream);
    struct Unlocked {
      PyThreadState *state = PyEval_SaveThread();
      ~Unlocked() { PyEval_RestoreThread(state); }
    } unlocked;
    kernel.launch(reader.arguments, options);
  });
  return isUnderstood ? status : kNotUnderstood;
}

PyObject *launchFunction(PyObject *, PyObject *const *values, std::ptrdiff_t count) {
  const long status = launch(values, count);
  if (status == kNotUnderstood) PyErr_Clear();
  return PyLong_FromLong(status);
}

} // namespace

extern "C" {

/// Returns the built-in function launch(kernel, stream, pdl, *values): the kernel's address, a stream's
/// number or None, 0 or 1, and the arguments in their order, but workspaces. It returns a status, or -1.
/// Null: this process has no Python.
MXC_API PyObject *mxc_python_launcher(void) {
  static PyMethodDef method = {"launch", launchFunction, python::kFastCall, nullptr};
  return PyCFunction_NewEx ? PyCFunction_NewEx(&method, nullptr, nullptr) : nullptr;
}

/// For the interpreter's exit handlers, which come before the process's.
MXC_API void mxc_python_exit(void) { endCompilations(); }

/// From now on tensors of exactly that type are taken; `api` is what its __dlpack_c_exchange_api__ holds.
/// Returns 0 for a version that is not known.
MXC_API int mxc_python_add_tensor_type(PyObject *type, const DLPackExchangeAPI *api) {
  while (api && api->version.major != 1)
    api = api->previous;
  if (!api || !api->dltensor_from_py_object_no_sync || !api->current_work_stream) return 0;
  if (apiOf(type)) return 1;
  Py_IncRef(type);
  auto *added = new TensorType{type, api, knownTypes.load()};
  while (!knownTypes.compare_exchange_weak(added->next, added)) {
  }
  return 1;
}

} // extern "C"
