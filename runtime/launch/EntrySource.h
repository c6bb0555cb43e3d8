// Where a module's entry points come from that is loaded before they are made.
#pragma once

#include <string>

namespace mxc {

class EntrySource {
public:
  virtual ~EntrySource() = default;

  /// Returns an image with the entry point, and perhaps with others. Any thread may call it, and waits until
  /// it is made. Throws mxc::Error where that fails; the next call tries again.
  virtual std::string image(const std::string &entry) = 0;
};

} // namespace mxc
