#include "runtime/simulator/driver/Fatbin.h"

#include "runtime/simulator/driver/Decompress.h"

#include <bit>
#include <cstring>

namespace mxc::sim {

static_assert(std::endian::native == std::endian::little);

// The header is fatBinaryHeader of the toolkit's fatbinary_section.h's data; an entry's header has been read
// by many a tool:
//
//   header  0 magic  4 version (2)  6 header bytes (2)  8 bytes of all entries (8)
//   entry   0 kind (2)  4 header bytes (4)  8 bytes of the data that follows (8)  16 bytes of it that are
//   compressed (4)
//          24 minor (2)  26 major (2)  28 target number (4)  40 flags (8)  56 bytes when decompressed (8)
static constexpr uint32_t kMagic = 0xBA55ED50, kWrapperMagic = 0x466243B1;
static constexpr uint16_t kPtx = 1;
static constexpr uint64_t kLz4 = 0x2000, kZstd = 0x8000; // flags
static constexpr uint64_t kHeaderBytes = 16, kEntryHeaderBytes = 64, kMaximumTextBytes = uint64_t(1) << 30;
static constexpr uint64_t kMostLz4 = 256; // times as large: a byte of a match's length stands for 255

template <class Integer> static Integer read(const char *at) {
  Integer value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

bool isFatbin(const char *image) {
  for (uint32_t magic : {kMagic, kWrapperMagic})
    if (std::strncmp(image, reinterpret_cast<const char *>(&magic), sizeof magic) == 0) return true;
  return false;
}

[[noreturn]] static void refuse(const std::string &why) {
  throw ImageError(CUDA_ERROR_INVALID_IMAGE, "this fatbin is damaged: " + why);
}

/// `left`: bytes that the texts of the image may still have.
static std::string textOf(const char *entry, const char *data, uint64_t bytes, uint64_t &left) {
  uint64_t flags = read<uint64_t>(entry + 40), decompressed = read<uint64_t>(entry + 56);
  uint64_t compressed = read<uint32_t>(entry + 16);
  std::string text;
  if (!(flags & (kLz4 | kZstd))) {
    text.assign(data, bytes);
  } else {
    if (compressed > bytes) refuse("an entry's compressed bytes go beyond it");
    if (decompressed > left) refuse("entries of more than 1 GiB");
    if (flags & kLz4 && decompressed / kMostLz4 > compressed) refuse("an entry does not decompress");
    left -= decompressed;
    text.resize(decompressed);
    if (flags & kLz4 ? !decompressLz4({data, compressed}, text) : !decompressZstd({data, compressed}, text))
      refuse("an entry does not decompress");
  }
  return text.substr(0, text.find('\0')); // after it is padding
}

/// What a wrapper points to: int magic, int version, const void *fatbin, ..
static const char *unwrapped(const Image &image) {
  if (read<uint32_t>(image.start) != kWrapperMagic) return image.start;
  if (image.bytes) refuse("a wrapper's pointer means nothing in a file");
  const char *fatbin = read<const char *>(image.start + 8);
  if (!fatbin || read<uint32_t>(fatbin) != kMagic) refuse("its wrapper points to none");
  return fatbin;
}

std::vector<std::string> ptxOfFatbin(const Image &image) {
  const char *fatbin = unwrapped(image);
  if (image.bytes && *image.bytes < kHeaderBytes) refuse("it has no whole header");
  uint64_t headerBytes = read<uint16_t>(fatbin + 6), left = read<uint64_t>(fatbin + 8);
  if (headerBytes < kHeaderBytes) refuse("its header has " + std::to_string(headerBytes) + " bytes");
  if (image.bytes && (headerBytes > *image.bytes || left > *image.bytes - headerBytes))
    refuse("its entries have " + std::to_string(left) + " bytes, the file " + std::to_string(*image.bytes));
  uint64_t textLeft = kMaximumTextBytes;
  std::vector<std::string> texts;
  for (const char *entry = fatbin + headerBytes; left >= kEntryHeaderBytes;) {
    uint64_t entryHeader = read<uint32_t>(entry + 4), bytes = read<uint64_t>(entry + 8);
    if (entryHeader < kEntryHeaderBytes || entryHeader > left || bytes > left - entryHeader)
      refuse("an entry goes beyond its end");
    if (read<uint16_t>(entry) == kPtx) texts.push_back(textOf(entry, entry + entryHeader, bytes, textLeft));
    entry += entryHeader + bytes;
    left -= entryHeader + bytes;
  }
  return texts;
}

} // namespace mxc::sim
