// libFuzzer: whatever the text, parse() returns or throws mxc::Error. Seeds: ParserSeeds. By hand:
//   clang++ -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -I.
//   tests/unit/simulator/fuzz/ParserFuzz.cpp \
//     runtime/simulator/ptx/*.cpp -o parser-fuzz && ./parser-fuzz CORPUS
//     tests/unit/simulator/fuzz/ParserSeeds
#include "dialect/formats/Error.h"
#include "runtime/simulator/ptx/Ast.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  try {
    mxc::sim::ptx::parse({reinterpret_cast<const char *>(data), size}, "fuzz");
  } catch (const mxc::Error &) {
  }
  return 0;
}
