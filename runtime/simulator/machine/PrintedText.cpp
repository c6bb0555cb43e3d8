#include "runtime/simulator/machine/PrintedText.h"

#include <utility>

namespace mxc::sim {

void PrintedText::setLimit(size_t bytes) {
  std::lock_guard lock(mutex_);
  limit_ = bytes;
}

size_t PrintedText::limit() const {
  std::lock_guard lock(mutex_);
  return limit_;
}

void PrintedText::add(std::string text) {
  if (text.empty()) return; // it would take no room of the limit
  std::lock_guard lock(mutex_);
  bytes_ += text.size();
  texts_.push_back(std::move(text));
  for (; bytes_ > limit_; texts_.pop_front())
    bytes_ -= texts_.front().size();
}

std::string PrintedText::take() {
  std::lock_guard lock(mutex_);
  std::string all;
  all.reserve(bytes_);
  for (const std::string &text : texts_)
    all += text;
  texts_.clear();
  bytes_ = 0;
  return all;
}

} // namespace mxc::sim
