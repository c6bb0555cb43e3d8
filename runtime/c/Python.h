// The few functions of Python's stable ABI that this library calls, of whichever Python has loaded it. They
// are weak: a host without Python has none, and calls nothing that needs them. Nothing is compiled against
// Python's headers, so one library serves every version.
// https://docs.python.org/3/c-api/stable.html
#pragma once

#include <cstddef>

extern "C" {

struct PyObject;      // opaque
struct PyThreadState; // opaque

using PyFastFunction = PyObject *(*)(PyObject * self, PyObject *const *arguments, std::ptrdiff_t count);

struct PyMethodDef {
  const char *name;
  PyFastFunction function;
  int flags;
  const char *documentation;
};

#define MXC_PYTHON __attribute__((weak, visibility("default")))

MXC_PYTHON PyObject *PyCFunction_NewEx(PyMethodDef *method, PyObject *self, PyObject *module);
MXC_PYTHON PyObject *PyObject_Type(PyObject *object);
MXC_PYTHON void *PyLong_AsVoidPtr(PyObject *number);
MXC_PYTHON long long PyLong_AsLongLong(PyObject *number);
MXC_PYTHON PyObject *PyLong_FromLong(long number);
MXC_PYTHON double PyFloat_AsDouble(PyObject *number);
MXC_PYTHON PyObject *PyErr_Occurred(void);
MXC_PYTHON void PyErr_Clear(void);
MXC_PYTHON void Py_IncRef(PyObject *object);
MXC_PYTHON void Py_DecRef(PyObject *object);
MXC_PYTHON PyThreadState *PyEval_SaveThread(void);
MXC_PYTHON void PyEval_RestoreThread(PyThreadState *state);
extern MXC_PYTHON PyObject PyLong_Type, PyFloat_Type, _Py_NoneStruct;

#undef MXC_PYTHON

} // extern "C"

namespace mxc::python {
constexpr int kFastCall = 0x80; // METH_FASTCALL
} // namespace mxc::python
