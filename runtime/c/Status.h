// Turns exceptions into status codes and the last error's text.
#pragma once

#include "dialect/formats/Error.h"
#include "runtime/c/mxc/mxc.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

namespace mxc::c {

/// Keeps an error's text for mxc_last_error, or says that there was no memory for it.
mxc_status failed(mxc_status status, const char *what) noexcept;

inline mxc_status statusOf(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::InvalidInput:
    return MXC_INVALID_INPUT;
  case ErrorKind::Usage:
    return MXC_USAGE;
  case ErrorKind::Device:
    return MXC_DEVICE;
  }
  return MXC_INTERNAL;
}

/// Runs the body of a function of the C interface, which only a status leaves.
template <typename Body> mxc_status guarded(Body body) noexcept {
  try {
    body();
    return MXC_OK;
  } catch (const Error &error) {
    return failed(statusOf(error.kind()), error.what());
  } catch (const std::bad_alloc &) {
    return failed(MXC_OUT_OF_MEMORY, "out of the host's memory");
  } catch (const std::exception &error) {
    return failed(MXC_INTERNAL, error.what());
  } catch (...) {
    return failed(MXC_INTERNAL, "an exception of an unknown type");
  }
}

template <typename T> T &required(T *pointer, const char *what) {
  if (!pointer) throw Error(ErrorKind::Usage, std::string(what) + " is NULL");
  return *pointer;
}

/// Returns a caller's struct as this version has it. Members that an older caller lacks are zero; those that
/// a newer one adds must be zero.
template <typename T> T sized(const T *given, const char *what) {
  T result = {};
  result.struct_size = sizeof(T);
  if (!given) return result;
  const size_t size = given->struct_size;
  if (size < sizeof(size_t) || size > 4096 || size % alignof(T)) // another would cut a member in two
    throw Error(ErrorKind::Usage, std::string("struct_size of ") + what + " is " + std::to_string(size) +
                                      ": expected sizeof(" + what + ")");
  const char *bytes = reinterpret_cast<const char *>(given);
  for (size_t i = sizeof(T); i < size; ++i)
    if (bytes[i])
      throw Error(ErrorKind::Usage,
                  std::string(what) + " says something that this version of mxc does not know");
  std::memcpy(&result, given, std::min(size, sizeof(T)));
  return result;
}

/// Returns an option; NULL means that it is not given. An empty one is an error, since it can mean nothing.
inline std::string optionOf(const char *text, const char *what) {
  if (text && !*text)
    throw Error(ErrorKind::Usage, std::string(what) + " is empty: expected NULL for the default");
  return text ? text : "";
}

/// Refuses options that only a simulator has.
inline void refuseSimulation(const char *device, const mxc_engine_options &options) {
  if (options.checks || options.schedule)
    throw Error(ErrorKind::Usage, "checks and schedule are a simulator's, but the device is " +
                                      std::string(device) + ": expected NULL");
}

/// Returns a text that may be NULL.
inline std::string textOr(const char *text, const char *otherwise) { return text ? text : otherwise; }

} // namespace mxc::c
