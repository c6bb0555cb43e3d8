// libnvJitLink, loaded at run time. It needs neither a GPU nor a driver.
#pragma once

#include <string>

namespace mxc {

class NvJitLink {
public:
  /// The library, loaded once; null with a message in `error` where it is not to be had now. Thread-safe.
  static const NvJitLink *load(std::string &error);

  enum class End {
    Done,
    Failed, // the PTX is at fault
    Stuck,  // the library does not come back
  };
  /// PTX for `architecture` ("sm_90a") to a cubin. If it is not done, `log` says why. Thread-safe.
  End assemble(const std::string &ptx, const std::string &architecture, std::string &cubin,
               std::string &log) const;

  const std::string &name() const { return name_; } // "nvJitLink 13.0"
  int major() const { return major_; }
  int minor() const { return minor_; }
  const std::string &path() const { return path_; } // of the library's file

private:
  struct Functions;
  struct Assembly;
  static void run(const Functions &functions, Assembly &assembly);
  static const NvJitLink *open(std::string &error);

  const Functions *functions_ = nullptr;
  std::string name_, path_;
  int major_ = 0, minor_ = 0;
};

} // namespace mxc
