// Whatever the text, compile() makes PTX of it or throws mxc::Error. LLVM's and MLIR's own libraries are not
// instrumented: what is covered are dialect/ and compiler/. The last byte chooses the chip.
#include "compiler/Compiler.h"
#include "dialect/formats/Error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size) return 0;
  static const char *const kChips[] = {"sm_90a", "sm_100a", "sm_103a", "sm_120a"};
  mxc::CompileOptions options;
  options.targets = {kChips[data[size - 1] % 4]};
  options.stage = mxc::Stage::Ptx;
  try {
    mxc::compile({reinterpret_cast<const char *>(data), size - 1}, "fuzz.mlir", options);
  } catch (const mxc::Error &) {
  }
  return 0;
}
