#include "compiler/abi/ImageBounds.h"

#include <cstring>

namespace mxc {

namespace {

/// A whole file or an entry of one.
class Bytes {
public:
  explicit Bytes(std::span<const std::byte> bytes) : bytes_(bytes) {}

  uint64_t size() const { return bytes_.size(); }
  bool holds(uint64_t begin, uint64_t bytes) const { return begin <= size() && bytes <= size() - begin; }
  std::span<const std::byte> part(uint64_t begin, uint64_t bytes) const {
    return bytes_.subspan(begin, bytes);
  }

  template <class Integer> uint64_t read(uint64_t at) const { // hosts of NVIDIA GPUs are little endian
    Integer value;
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  }

private:
  std::span<const std::byte> bytes_;
};

std::string beyond(const std::string &what, uint64_t begin, uint64_t bytes, uint64_t size) {
  return what + " of " + std::to_string(bytes) + " bytes at " + std::to_string(begin) + " goes beyond the " +
         std::to_string(size) + " that there are";
}

/// ELF-64 Object File Format: the header, the table of segments, the table of sections and what each names.
std::string beyondElf(const Bytes &elf) {
  constexpr uint64_t kHeaderBytes = 64, kSegmentBytes = 56, kSectionBytes = 64;
  constexpr uint64_t kClass64 = 2, kNoBits = 8, kNull = 0; // EI_CLASS, sh_type
  if (elf.size() < kHeaderBytes) return beyond("its ELF header", 0, kHeaderBytes, elf.size());
  if (elf.read<uint8_t>(4) != kClass64) return "it is no ELF file of 64 bits";
  const uint64_t segments = elf.read<uint64_t>(32), sections = elf.read<uint64_t>(40);
  const uint64_t segmentCount = elf.read<uint16_t>(56), sectionCount = elf.read<uint16_t>(60);
  if ((segmentCount && elf.read<uint16_t>(54) != kSegmentBytes) ||
      (sectionCount && elf.read<uint16_t>(58) != kSectionBytes))
    return "its tables' rows are not those of ELF";
  if (!elf.holds(segments, segmentCount * kSegmentBytes))
    return beyond("its table of segments", segments, segmentCount * kSegmentBytes, elf.size());
  if (!elf.holds(sections, sectionCount * kSectionBytes))
    return beyond("its table of sections", sections, sectionCount * kSectionBytes, elf.size());
  if (sectionCount && elf.read<uint16_t>(62) >= sectionCount) return "its names are in no section";
  for (uint64_t i = 0; i < segmentCount; ++i) {
    const uint64_t row = segments + i * kSegmentBytes;
    const uint64_t begin = elf.read<uint64_t>(row + 8), bytes = elf.read<uint64_t>(row + 32);
    if (!elf.holds(begin, bytes)) return beyond("its segment " + std::to_string(i), begin, bytes, elf.size());
  }
  for (uint64_t i = 0; i < sectionCount; ++i) {
    const uint64_t row = sections + i * kSectionBytes, type = elf.read<uint32_t>(row + 4);
    const uint64_t begin = elf.read<uint64_t>(row + 24), bytes = elf.read<uint64_t>(row + 32);
    if (type != kNull && type != kNoBits && !elf.holds(begin, bytes))
      return beyond("its section " + std::to_string(i), begin, bytes, elf.size());
  }
  return "";
}

/// The layout: runtime/simulator/driver/Fatbin.cpp.
std::string beyondFatbin(const Bytes &fatbin) {
  constexpr uint64_t kHeaderBytes = 16, kEntryBytes = 64, kElf = 2, kCompressed = 0xA000;
  if (fatbin.size() < kHeaderBytes) return beyond("its header", 0, kHeaderBytes, fatbin.size());
  const uint64_t header = fatbin.read<uint16_t>(6), entries = fatbin.read<uint64_t>(8);
  if (header < kHeaderBytes) return "its header has " + std::to_string(header) + " bytes";
  if (!fatbin.holds(header, entries)) return beyond("its list of entries", header, entries, fatbin.size());
  for (uint64_t at = header, left = entries, i = 0; left >= kEntryBytes; ++i) {
    const uint64_t entryHeader = fatbin.read<uint32_t>(at + 4), bytes = fatbin.read<uint64_t>(at + 8);
    const std::string name = "its entry " + std::to_string(i);
    if (entryHeader < kEntryBytes) return name + " has a header of " + std::to_string(entryHeader) + " bytes";
    if (entryHeader > left || bytes > left - entryHeader)
      return beyond(name, at + entryHeader, bytes, header + entries);
    const bool isElf = fatbin.read<uint16_t>(at) == kElf && !(fatbin.read<uint64_t>(at + 40) & kCompressed);
    if (std::string inside = isElf ? beyondElf(Bytes(fatbin.part(at + entryHeader, bytes))) : "";
        !inside.empty())
      return name + ": " + inside;
    at += entryHeader + bytes, left -= entryHeader + bytes;
  }
  return "";
}

} // namespace

ImageFormat imageFormat(std::span<const std::byte> image) {
  std::string_view text(reinterpret_cast<const char *>(image.data()), image.size());
  constexpr uint16_t kCudaMachine = 190; // e_machine EM_CUDA
  if (text.size() >= 20 && text.starts_with("\x7f"
                                            "ELF")) {
    uint16_t machine;
    std::memcpy(&machine, text.data() + 18, sizeof machine);
    return machine == kCudaMachine ? ImageFormat::Cubin : ImageFormat::Unknown;
  }
  if (text.starts_with("\x50\xed\x55\xba")) return ImageFormat::Fatbin; // fatBinaryStructs.h, FATBIN_MAGIC
  // PTX text holds only comments and white space before its .version.
  while (!text.empty()) {
    if (text.starts_with(".version")) return ImageFormat::Ptx;
    if (text.starts_with("//"))
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    else if (text.starts_with("/*"))
      text.remove_prefix(std::min(text.find("*/", 2), text.size() - 2) + 2);
    else if (std::isspace(static_cast<unsigned char>(text.front())))
      text.remove_prefix(1);
    else
      break;
  }
  return ImageFormat::Unknown;
}

std::set<std::string> sectionsOf(std::span<const std::byte> cubin) {
  constexpr uint64_t kSectionBytes = 64;
  const Bytes elf(cubin);
  const uint64_t sections = elf.read<uint64_t>(40), count = elf.read<uint16_t>(60);
  std::set<std::string> found;
  if (count == 0) return found;
  const uint64_t names = sections + elf.read<uint16_t>(62) * kSectionBytes;
  const uint64_t namesBegin = elf.read<uint64_t>(names + 24), namesBytes = elf.read<uint64_t>(names + 32);
  if (!elf.holds(namesBegin, namesBytes)) return found; // a section without bytes in the file
  const std::string_view text(reinterpret_cast<const char *>(cubin.data()) + namesBegin, namesBytes);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t row = sections + i * kSectionBytes, name = elf.read<uint32_t>(row);
    if (elf.read<uint64_t>(row + 32) == 0 || name >= text.size()) continue;
    const std::string_view rest = text.substr(name);
    found.emplace(rest.substr(0, rest.find('\0')));
  }
  return found;
}

std::string beyondImage(std::span<const std::byte> image, ImageFormat format) {
  if (format == ImageFormat::Cubin) return beyondElf(Bytes(image));
  if (format == ImageFormat::Fatbin) return beyondFatbin(Bytes(image));
  return "";
}

} // namespace mxc
