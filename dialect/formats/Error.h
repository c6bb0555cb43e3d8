// The exception of mxc's C++ API.
#pragma once

#include <stdexcept>
#include <string>

namespace mxc {

/// Whose fault it is; `mxc` turns it into its exit status.
enum class ErrorKind {
  InvalidInput, // a file, shape, type or argument is at fault (exit 1)
  Usage,        // the command line is (exit 2)
  Device,       // the device or driver is missing or failed (exit 3)
};

class Error : public std::runtime_error {
public:
  Error(ErrorKind kind, const std::string &message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

private:
  ErrorKind kind_;
};

} // namespace mxc
