// Images that hold the example kernel's ABI and no code: enough for the fake driver.
#pragma once

#include "compiler/abi/CompiledKernel.h"
#include "tests/unit/runtime/ExampleKernel.h"

#include <span>
#include <string>
#include <vector>

inline std::span<const std::byte> bytesOf(const std::string &image) {
  return std::as_bytes(std::span(image));
}

inline std::string recordOf(const std::string &target, int kernels) {
  mxc::ModuleAbi abi;
  abi.compilerVersion = "0.1.0";
  abi.numericsVersion = 1;
  abi.target = target;
  for (int i = 0; i < kernels; ++i) {
    abi.kernels.push_back(exampleKernel());
    if (i) abi.kernels.back().name += std::to_string(i);
  }
  return abiRecord(abi);
}

inline std::string withRecords(std::string image, const std::vector<std::string> &targets, int kernels) {
  for (const std::string &target : targets) {
    image.resize((image.size() + 15) / 16 * 16);
    image += recordOf(target, kernels);
  }
  return image + std::string(64, '\0');
}

inline std::string cubinHeader() {
  std::string image("\x7f"
                    "ELF",
                    4);
  image.resize(64);
  image[4] = 2;          // EI_CLASS: 64 bits
  image[18] = char(190); // e_machine EM_CUDA
  return image;
}
inline std::string cubinOf(const std::vector<std::string> &targets, int kernels = 1) {
  return withRecords(cubinHeader(), targets, kernels);
}
inline std::string fatbinOf(const std::vector<std::string> &targets, int kernels = 1) {
  return withRecords(std::string("\x50\xed\x55\xba\x01\x00\x10\x00", 8), targets, kernels);
}

/// The record as LLVM prints a constant array.
inline std::string ptxRecord(const std::string &record) {
  std::string text = ".visible .const .align 16 .b8 __mxc_abi[" + std::to_string(record.size()) + "] = {";
  for (size_t i = 0; i < record.size(); ++i)
    text += (i ? ", " : "") + std::to_string(static_cast<unsigned char>(record[i]));
  return text + "};\n";
}
inline std::string ptxOf(const std::vector<std::string> &targets) {
  std::string text = "//\n// Generated\n//\n.version 8.0\n.target sm_90a\n.address_size 64\n";
  for (const std::string &target : targets)
    text += ptxRecord(recordOf(target, 1));
  return text;
}
