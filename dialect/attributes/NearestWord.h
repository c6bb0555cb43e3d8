// Words that there are, in messages about one that is not: the one that was probably meant comes first.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>

namespace mxc::mx {

/// The words in their order, but the one nearest to `written` first, if it is near.
inline llvm::SmallVector<llvm::StringRef> nearestFirst(llvm::StringRef written,
                                                       llvm::ArrayRef<llvm::StringRef> words) {
  llvm::SmallVector<llvm::StringRef> result(words);
  auto distance = [&](llvm::StringRef word) { return word.edit_distance_insensitive(written); };
  auto nearest = std::min_element(result.begin(), result.end(), [&](llvm::StringRef a, llvm::StringRef b) {
    return distance(a) < distance(b);
  });
  // Half of its letters are right, or one has no idea what was meant.
  if (nearest != result.end() && 2 * distance(*nearest) <= std::max(nearest->size(), written.size()))
    std::rotate(result.begin(), nearest, nearest + 1);
  return result;
}

} // namespace mxc::mx
