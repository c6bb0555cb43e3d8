// The log buffers of cuModuleLoadDataEx.
#pragma once

#include "runtime/simulator/driver/Image.h"

namespace mxc::sim {

class JitLog {
public:
  JitLog() = default;
  JitLog(unsigned count, const CUjit_option *options, void **values);

  void write(const ImageError &error) const; // to the caller's buffer; without one to standard error
  void clear() const;                        // nothing was wrong: buffers without a character

private:
  struct Buffer {
    char *text = nullptr;
    size_t bytes = 0;
    void **written = nullptr; // where the number of characters goes
    void put(const std::string &log) const;
  };
  Buffer error_, info_;
};

/// A whole file, with a NUL after it. Throws Refusal (FILE_NOT_FOUND).
std::string readImageFile(const char *path);

} // namespace mxc::sim
