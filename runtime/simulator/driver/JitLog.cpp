#include "runtime/simulator/driver/JitLog.h"

#include "runtime/simulator/driver/Refusal.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace mxc::sim {

// A value is a pointer, or a number in a pointer's place; the sizes come back as what was used.
JitLog::JitLog(unsigned count, const CUjit_option *options, void **values) {
  for (unsigned i = 0; i < count; ++i) {
    uintptr_t number = reinterpret_cast<uintptr_t>(values[i]);
    switch (options[i]) {
    case CU_JIT_ERROR_LOG_BUFFER:
      error_.text = static_cast<char *>(values[i]);
      break;
    case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
      error_.bytes = static_cast<unsigned>(number), error_.written = &values[i];
      break;
    case CU_JIT_INFO_LOG_BUFFER:
      info_.text = static_cast<char *>(values[i]);
      break;
    case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
      info_.bytes = static_cast<unsigned>(number), info_.written = &values[i];
      break;
    default: // optimization levels, targets and the like: there is nothing to compile
      break;
    }
  }
}

void JitLog::Buffer::put(const std::string &log) const {
  size_t copied = 0;
  if (text && bytes) {
    copied = log.copy(text, bytes - 1);
    text[copied] = 0;
  }
  if (written) *written = reinterpret_cast<void *>(copied);
}

void JitLog::write(const ImageError &error) const {
  error_.put(error.log);
  info_.put("");
  if (!error_.text) // else the caller's to show, as with libcuda
    std::fprintf(stderr, "simulator: %s\n", error.what());
}

void JitLog::clear() const {
  error_.put("");
  info_.put("");
}

std::string readImageFile(const char *path) {
  std::error_code unknown;
  require(!std::filesystem::is_fifo(path, unknown), CUDA_ERROR_FILE_NOT_FOUND); // opening it would wait
  std::ifstream in(path, std::ios::binary);
  require(in.good(), CUDA_ERROR_FILE_NOT_FOUND);
  constexpr size_t kMaximumBytes = size_t(1) << 30; // as runtime/launch/Module.cpp
  std::string image;
  char piece[65536];
  while (in.read(piece, sizeof piece), in.gcount() > 0) {
    image.append(piece, static_cast<size_t>(in.gcount()));
    require(image.size() <= kMaximumBytes, CUDA_ERROR_INVALID_IMAGE);
  }
  return image;
}

} // namespace mxc::sim
