#include "compiler/lowering/entry/SharedLayout.h"

#include "llvm/Support/MathExtras.h"

namespace mxc {

int64_t SharedLayout::add(llvm::StringRef name, int64_t bytes, int64_t alignment, int stages) {
  assert(llvm::isPowerOf2_64(alignment) && bytes >= 0);
  int64_t offset = llvm::alignTo(end(), alignment);
  regions_.push_back({name.str(), offset, bytes, stages});
  alignment_ = std::max(alignment_, alignment);
  return offset;
}

int64_t SharedLayout::bytes() const { return llvm::alignTo(end(), 16); }

std::string SharedLayout::sum() const {
  std::string text;
  for (size_t i = 0; i < regions_.size(); ++i) {
    int64_t end = i + 1 < regions_.size() ? regions_[i + 1].offset : bytes();
    text += (i == 0 ? "" : " + ") + regions_[i].name + " " + std::to_string(end - regions_[i].offset);
  }
  return text;
}

} // namespace mxc
