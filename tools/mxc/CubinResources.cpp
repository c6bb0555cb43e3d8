// Section .nv.info of a cubin holds attributes: a format byte, the attribute's number, then two bytes; of
// format 4 these are the size of a value after them. REGCOUNT (0x2f) and FRAME_SIZE (0x11) are of format 4:
// the index of an entry's symbol, and a number.
#include "tools/mxc/CubinResources.h"

#include <cstring>
#include <elf.h>
#include <optional>
#include <string_view>

namespace mxc {

namespace {

using Bytes = std::span<const std::byte>;

template <class T> std::optional<T> valueAt(Bytes bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

Bytes part(Bytes bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) return {};
  return bytes.subspan(offset, size);
}

std::string stringAt(Bytes strings, uint64_t offset) {
  if (offset >= strings.size()) return {};
  const char *begin = reinterpret_cast<const char *>(strings.data() + offset);
  return {begin, strnlen(begin, strings.size() - offset)};
}

class Elf {
public:
  Elf(Bytes bytes, const Elf64_Ehdr &header) : bytes_(bytes), header_(header) {
    if (const auto names = section(header.e_shstrndx)) names_ = contents(*names);
  }

  std::optional<Elf64_Shdr> section(uint64_t index) const {
    return valueAt<Elf64_Shdr>(bytes_, header_.e_shoff + index * sizeof(Elf64_Shdr));
  }
  std::optional<Elf64_Shdr> sectionNamed(std::string_view name) const {
    for (unsigned i = 0; i < header_.e_shnum; ++i)
      if (const auto found = section(i); found && stringAt(names_, found->sh_name) == name) return found;
    return std::nullopt;
  }
  Bytes contents(const Elf64_Shdr &section) const { return part(bytes_, section.sh_offset, section.sh_size); }

private:
  Bytes bytes_, names_;
  Elf64_Ehdr header_;
};

CubinResources resourcesOf(const Elf &elf) {
  constexpr uint8_t kWithValue = 4, kFrameSize = 0x11, kRegisterCount = 0x2f;
  CubinResources resources;
  const auto info = elf.sectionNamed(".nv.info"), symbols = elf.sectionNamed(".symtab");
  const auto strings = symbols ? elf.section(symbols->sh_link) : std::nullopt;
  if (!info || !strings) return resources;
  const Bytes attributes = elf.contents(*info);
  struct Attribute {
    uint8_t format, number;
    uint16_t size;
  };
  for (uint64_t at = 0; const auto attribute = valueAt<Attribute>(attributes, at);) {
    at += sizeof(Attribute);
    if (attribute->format != kWithValue) continue;
    const auto symbol = valueAt<uint32_t>(attributes, at), number = valueAt<uint32_t>(attributes, at + 4);
    at += attribute->size;
    if (!symbol || !number || attribute->size < 8) continue;
    const auto entry = valueAt<Elf64_Sym>(elf.contents(*symbols), *symbol * uint64_t(sizeof(Elf64_Sym)));
    if (!entry) continue;
    EntryResources &own = resources[stringAt(elf.contents(*strings), entry->st_name)];
    if (attribute->number == kRegisterCount) own.registers = *number;
    if (attribute->number == kFrameSize) own.stackBytes = *number;
  }
  return resources;
}

} // namespace

std::vector<CubinResources> resourcesInImage(Bytes image) {
  constexpr uint16_t kCuda = 190; // EM_CUDA
  std::vector<CubinResources> all;
  for (uint64_t at = 0; at + sizeof(Elf64_Ehdr) <= image.size(); at += 8) {
    if (std::memcmp(image.data() + at, ELFMAG, SELFMAG) != 0) continue;
    const Elf64_Ehdr header = *valueAt<Elf64_Ehdr>(image, at);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != kCuda) continue;
    all.push_back(resourcesOf(Elf(image.subspan(at), header)));
  }
  return all;
}

} // namespace mxc
