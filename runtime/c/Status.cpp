#include "runtime/c/Status.h"

#include "compiler/abi/Version.h"
#include "runtime/c/Loading.h"

namespace mxc::c {

static thread_local std::string lastError;
static thread_local bool isLost = false; // there was no memory for the text

mxc_status failed(mxc_status status, const char *what) noexcept {
  isLost = false;
  try {
    lastError = what;
  } catch (...) {
    isLost = true;
  }
  return status;
}

} // namespace mxc::c

using namespace mxc::c;

const char *mxc_last_error(void) { return isLost ? "out of the host's memory" : lastError.c_str(); }
const char *mxc_version(void) { return mxc::kVersion; }
int mxc_api_version(void) { return MXC_API_VERSION; }
int mxc_has_compiler(void) { return hasCompiler(); }
