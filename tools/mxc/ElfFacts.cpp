#include "tools/mxc/ElfFacts.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <optional>
#include <string_view>

namespace mxc {

namespace {

class Elf {
public:
  explicit Elf(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename Struct> std::optional<Struct> at(uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(Struct)) return std::nullopt;
    Struct result;
    std::memcpy(&result, bytes_.data() + offset, sizeof result);
    return result;
  }
  /// A text that ends with a zero.
  std::string_view text(uint64_t offset) const {
    if (offset >= bytes_.size()) return {};
    const auto *begin = reinterpret_cast<const char *>(bytes_.data()) + offset;
    return {begin, strnlen(begin, bytes_.size() - offset)};
  }

private:
  std::span<const std::byte> bytes_;
};

} // namespace

/// Where in the file an address lies that the loader maps; nothing if none of the segments holds it.
static std::optional<uint64_t> offsetOf(const std::vector<Elf64_Phdr> &segments, uint64_t address) {
  for (const Elf64_Phdr &segment : segments)
    if (segment.p_type == PT_LOAD && address - segment.p_vaddr < segment.p_filesz)
      return address - segment.p_vaddr + segment.p_offset;
  return std::nullopt;
}

static void readDynamic(const Elf &elf, const std::vector<Elf64_Phdr> &segments, const Elf64_Phdr &dynamic,
                        ElfFacts &facts) {
  std::vector<uint64_t> names; // offsets into the table of texts
  uint64_t texts = 0;
  for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic.p_filesz; at += sizeof(Elf64_Dyn)) {
    const auto entry = elf.at<Elf64_Dyn>(dynamic.p_offset + at);
    if (!entry || entry->d_tag == DT_NULL) break;
    if (entry->d_tag == DT_NEEDED) names.push_back(entry->d_un.d_val);
    if (entry->d_tag == DT_STRTAB) texts = entry->d_un.d_ptr;
  }
  const std::optional<uint64_t> table = offsetOf(segments, texts);
  for (uint64_t name : names)
    if (table) facts.needed.emplace_back(elf.text(*table + name));
}

static bool hasSection(const Elf &elf, const Elf64_Ehdr &head, std::string_view name) {
  const auto names = elf.at<Elf64_Shdr>(head.e_shoff + uint64_t(head.e_shstrndx) * head.e_shentsize);
  for (unsigned i = 0; names && i < head.e_shnum; ++i)
    if (const auto section = elf.at<Elf64_Shdr>(head.e_shoff + uint64_t(i) * head.e_shentsize))
      if (elf.text(names->sh_offset + section->sh_name) == name) return true;
  return false;
}

ElfFacts elfFacts(std::span<const std::byte> file) {
  ElfFacts facts;
  const Elf elf(file);
  const auto head = elf.at<Elf64_Ehdr>(0);
  if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64)
    return facts;
  facts.isElf = true;
  facts.holdsKernels = hasSection(elf, *head, ".nv_fatbin");
  std::vector<Elf64_Phdr> segments;
  for (unsigned i = 0; i < head->e_phnum; ++i)
    if (const auto segment = elf.at<Elf64_Phdr>(head->e_phoff + uint64_t(i) * head->e_phentsize))
      segments.push_back(*segment);
  for (const Elf64_Phdr &segment : segments) {
    facts.isDynamic |= segment.p_type == PT_INTERP;
    if (segment.p_type == PT_DYNAMIC) readDynamic(elf, segments, segment, facts);
  }
  return facts;
}

} // namespace mxc
