// Sizes by their names: a kernel's dimensions, and what else expressions may name.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mxc {

/// Names and their values, in the order of the names. Used as a std::map would be; but in one piece of
/// memory, since every launch makes one.
class Dimensions {
public:
  using key_type = std::string; // what a container of JSON takes for an object
  using mapped_type = int64_t;
  using value_type = std::pair<key_type, mapped_type>;
  using const_iterator = std::vector<value_type>::const_iterator;

  Dimensions() = default;
  Dimensions(std::initializer_list<value_type> values) {
    for (const value_type &value : values)
      insert(value);
  }

  const_iterator begin() const { return values_.begin(); }
  const_iterator end() const { return values_.end(); }
  size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  void reserve(size_t size) { values_.reserve(size); }

  const_iterator find(std::string_view name) const { // they are few: nothing is faster than to look at each
    return std::find_if(begin(), end(), [&](const value_type &value) { return value.first == name; });
  }
  size_t count(std::string_view name) const { return find(name) != end(); }
  int64_t at(std::string_view name) const { // throws std::out_of_range
    return values_.at(static_cast<size_t>(find(name) - begin())).second;
  }

  /// What has a value keeps it; second: it had none.
  std::pair<const_iterator, bool> emplace(std::string_view name, int64_t value) {
    const const_iterator place = placeOf(name);
    if (place != end() && place->first == name) return {place, false};
    return {values_.emplace(place, name, value), true};
  }
  std::pair<const_iterator, bool> insert(const value_type &value) {
    return emplace(value.first, value.second);
  }
  int64_t &operator[](std::string_view name) {
    return values_[static_cast<size_t>(emplace(name, 0).first - begin())].second;
  }
  void erase(std::string_view name) {
    if (const const_iterator found = find(name); found != end()) values_.erase(found);
  }

  auto operator<=>(const Dimensions &) const = default;

private:
  const_iterator placeOf(std::string_view name) const {
    return std::find_if(begin(), end(), [&](const value_type &value) { return value.first >= name; });
  }
  std::vector<value_type> values_;
};

} // namespace mxc
