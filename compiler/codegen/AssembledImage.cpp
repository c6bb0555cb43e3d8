#include "compiler/codegen/AssembledImage.h"

#include "compiler/abi/CompiledKernel.h"
#include "compiler/abi/ImageBounds.h"

#include <algorithm>

namespace mxc {

static constexpr std::string_view kCode = ".text."; // a kernel's section, with its name

static std::span<const std::byte> bytesOf(std::string_view text) { return std::as_bytes(std::span(text)); }

static std::string faultOfElf(std::string_view cubin) {
  if (imageFormat(bytesOf(cubin)) != ImageFormat::Cubin) return "it is no cubin";
  return beyondImage(bytesOf(cubin), ImageFormat::Cubin);
}

std::string faultOfCubin(std::string_view cubin, std::string_view ptx, std::string_view record) {
  if (std::string fault = faultOfElf(cubin); !fault.empty()) return fault;
  const std::set<std::string> sections = sectionsOf(bytesOf(cubin));
  constexpr std::string_view kEntry = ".entry ";
  for (size_t at = ptx.find(kEntry); at != ptx.npos; at = ptx.find(kEntry, at)) {
    at += kEntry.size();
    const std::string name(ptx.substr(at, ptx.find_first_of("( \t\r\n", at) - at));
    if (!sections.contains(std::string(kCode) + name)) return "it has no code of entry '" + name + "'";
  }
  if (cubin.find(record) == cubin.npos) return "its ABI record is not the kernels'";
  return "";
}

std::string faultOfCode(std::string_view image) {
  const ImageFormat format = imageFormat(bytesOf(image));
  if (format == ImageFormat::Unknown) return "it is neither a cubin, nor a fatbin, nor PTX text";
  if (std::string beyond = beyondImage(bytesOf(image), format); !beyond.empty()) return beyond;
  if (format == ImageFormat::Cubin &&
      std::ranges::none_of(sectionsOf(bytesOf(image)),
                           [](const std::string &name) { return name.starts_with(kCode); }))
    return "it has no code";
  return "";
}

std::string faultOfImage(std::string_view image) {
  if (std::string fault = faultOfCode(image); !fault.empty()) return fault;
  return abiFromImage({image.data(), image.size()}).empty() ? whyNoRecord({image.data(), image.size()}) : "";
}

} // namespace mxc
