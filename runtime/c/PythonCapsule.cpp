// Only runtime/python uses this, so it is not in mxc.h: it frees the tensors in Python's capsules without
// running Python's code, which an interpreter that is ending no longer can.
#include "runtime/c/Dlpack.h"
#include "runtime/c/mxc/mxc.h"

#include <atomic>

using IsValid = int (*)(void *capsule, const char *name);
using GetPointer = void *(*)(void *capsule, const char *name);

static std::atomic<IsValid> isValid;
static std::atomic<GetPointer> getPointer;

extern "C" {

static void destroy(void *capsule) {
  static constexpr const char *kName = "dltensor_versioned";
  if (!isValid.load()(capsule, kName)) return; // somebody took the tensor
  auto *tensor = static_cast<DLManagedTensorVersioned *>(getPointer.load()(capsule, kName));
  tensor->deleter(tensor);
}

/// A PyCapsule_Destructor; the parameters are PyCapsule_IsValid and PyCapsule_GetPointer, which no library of
/// ours is linked to.
MXC_API auto mxc_python_capsule_destructor(IsValid is_valid, GetPointer get_pointer) -> void (*)(void *) {
  isValid = is_valid, getPointer = get_pointer;
  return destroy;
}

} // extern "C"
