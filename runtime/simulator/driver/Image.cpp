#include "runtime/simulator/driver/Image.h"

#include "runtime/simulator/driver/Fatbin.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <tuple>

namespace mxc::sim {

static constexpr std::string_view kAdvice =
    "the simulator runs PTX, not machine code: give it a fatbin that "
    "holds PTX (mxc compile --emit=fatbin; nvcc -gencode "
    "arch=compute_100a,code=compute_100a) or PTX text (mxc compile --emit=ptx; nvcc "
    "-ptx)";

/// Without the comments and white space at its beginning.
static std::string_view skipBlank(std::string_view text) {
  for (;;) {
    if (text.starts_with("//"))
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    else if (text.starts_with("/*"))
      text.remove_prefix(std::min(text.find("*/", 2), text.size() - 2) + 2);
    else if (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
      text.remove_prefix(1);
    else
      return text;
  }
}

std::vector<std::string> ptxOf(const Image &image) {
  const char *text = image.start;
  if (!text) throw ImageError(CUDA_ERROR_INVALID_VALUE, "no image");
  if (std::strncmp(text,
                   "\x7f"
                   "ELF",
                   4) == 0)
    throw ImageError(CUDA_ERROR_NO_BINARY_FOR_GPU,
                     "this image is a cubin, and the PTX is not in it; " + std::string(kAdvice));
  if (isFatbin(text)) {
    std::vector<std::string> texts = ptxOfFatbin(image);
    if (texts.empty())
      throw ImageError(CUDA_ERROR_NO_BINARY_FOR_GPU, "this fatbin holds no PTX; " + std::string(kAdvice));
    return texts;
  }
  if (!*text) throw ImageError(CUDA_ERROR_INVALID_IMAGE, "this image is empty");
  if (!skipBlank(text).starts_with('.')) // of a directive; PTX begins with .version
    throw ImageError(CUDA_ERROR_INVALID_IMAGE,
                     "this image is neither PTX text nor a fatbin; " + std::string(kAdvice));
  return {text};
}

static std::string_view firstWord(std::string_view text) {
  size_t length = 0;
  while (length < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[length])) || text[length] == '_'))
    ++length;
  return text.substr(0, length);
}

// `.version 8.8 .target sm_100a, debug`: both come before anything else.
std::string targetOfPtx(std::string_view ptx) {
  ptx = skipBlank(ptx);
  if (ptx.starts_with(".version")) {
    ptx = skipBlank(ptx.substr(8));
    ptx.remove_prefix(std::min(ptx.find_first_not_of("0123456789."), ptx.size()));
    ptx = skipBlank(ptx);
  }
  return ptx.starts_with(".target") ? std::string(firstWord(skipBlank(ptx.substr(7)))) : std::string();
}

const std::string &chosenPtx(const std::vector<std::string> &texts, const Chip &chip) {
  // 'a' before 'f' before none, then the larger number.
  auto rank = [](const std::string &target) {
    TargetName name = TargetName::parse(target).value_or(TargetName());
    return std::tuple(name.suffix == 'a' ? 2 : name.suffix == 'f' ? 1 : 0, name.number);
  };
  const std::string *best = nullptr;
  std::string held;
  for (const std::string &text : texts) {
    std::string target = targetOfPtx(text);
    held += (held.empty() ? "" : ", ") + (target.empty() ? "no target" : target);
    // A text without a target goes to the parser, which says what is wrong with it.
    bool isCandidate = runs(chip, target) || (target.empty() && texts.size() == 1);
    if (isCandidate && (!best || rank(target) > rank(targetOfPtx(*best)))) best = &text;
  }
  if (best) return *best;
  throw ImageError(CUDA_ERROR_NO_BINARY_FOR_GPU, "the image holds PTX for " + held +
                                                     ", and the simulated chip is " +
                                                     std::string(chip.device.name) + ", which takes " +
                                                     chip.target.text() + " and what runs there");
}

} // namespace mxc::sim
