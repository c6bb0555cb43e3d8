// A JSON value as the record's reader sees it: every access checks, and says where it is.
#pragma once

#include "compiler/abi/ShapeExpression.h"
#include "dialect/formats/Error.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mxc {

using Json = nlohmann::json;

/// A JSON value and the path that leads to it: "kernels[0].variants[1].block[2]".
class Member {
public:
  Member(const Json &json, std::string path) : json(json), path(std::move(path)) {}

  [[noreturn]] void fail(const std::string &expected) const {
    std::string found = json.is_structured() && json.size() > 100
                            ? std::to_string(json.size()) + " of them"
                            : json.dump(-1, ' ', true, Json::error_handler_t::replace);
    if (found.size() > 60) found = found.substr(0, 60) + "...";
    throw Error(ErrorKind::InvalidInput,
                "kernel ABI: " + path + ": expected " + expected + ", found " + found);
  }

  std::optional<Member> find(const char *key) const {
    if (!json.is_object()) fail("an object");
    const auto found = json.find(key);
    if (found == json.end()) return std::nullopt;
    return Member(*found, path == "root" ? key : path + "." + key);
  }

  Member operator[](const char *key) const {
    std::optional<Member> member = find(key);
    if (!member) fail(std::string("a member \"") + key + "\"");
    return *member;
  }

  std::vector<Member> elements(size_t least, size_t most) const {
    if (!json.is_array()) fail("an array");
    if (json.size() < least || json.size() > most)
      fail(least == most ? std::to_string(least) + " elements"
                         : std::to_string(least) + " to " + std::to_string(most) + " elements");
    std::vector<Member> members;
    for (size_t i = 0; i < json.size(); ++i)
      members.emplace_back(json[i], path + "[" + std::to_string(i) + "]");
    return members;
  }

  std::map<std::string, std::string> stringMap() const {
    if (!json.is_object() || json.size() > 256) fail("an object of up to 256 strings");
    std::map<std::string, std::string> map;
    for (const auto &[key, value] : json.items())
      map[key] = Member(value, path + "." + key).string();
    return map;
  }

  bool isNull() const { return json.is_null(); }

  const std::string &string() const {
    if (!json.is_string()) fail("a string");
    return json.get_ref<const std::string &>();
  }

  const std::string &nonEmpty() const {
    if (!json.is_string() || string().empty()) fail("a non-empty string");
    return string();
  }

  bool boolean() const {
    if (!json.is_boolean()) fail("true or false");
    return json.get<bool>();
  }

  int64_t integer(int64_t least, int64_t most) const {
    const bool fits = json.is_number_integer() &&
                      !(json.is_number_unsigned() && json.get<uint64_t>() > INT64_MAX) &&
                      json.get<int64_t>() >= least && json.get<int64_t>() <= most;
    if (!fits) fail("an integer in " + std::to_string(least) + ".." + std::to_string(most));
    return json.get<int64_t>();
  }

  int64_t powerOfTwo(int64_t most) const {
    const int64_t value = integer(1, most);
    if (!std::has_single_bit(uint64_t(value))) fail("a power of two");
    return value;
  }

  /// The index in `names` of this string.
  template <typename Names> size_t oneOf(const Names &names, const std::string &what) const {
    const auto found = std::find(names.begin(), names.end(), string());
    if (found == names.end()) {
      std::string expected = what + " out of";
      for (const auto &name : names)
        expected.append(" ").append(name);
      fail(expected);
    }
    return size_t(found - names.begin());
  }

  /// "" is nothing where `mayBeEmpty`.
  ShapeExpression expression(std::span<const std::string> names, bool mayBeEmpty = false) const {
    if (string().empty() && mayBeEmpty) return {};
    if (string().empty()) fail("an expression");
    std::string error;
    const std::optional<ShapeExpression> parsed = ShapeExpression::parse(string(), error);
    if (parsed) error = parsed->unknownName(names);
    if (!error.empty()) throw Error(ErrorKind::InvalidInput, "kernel ABI: " + path + ": " + error);
    return *parsed;
  }

  /// Three sizes, each in 1..most, and their product as well.
  void sizes(uint32_t (&out)[3], int64_t most) const {
    const std::vector<Member> members = elements(3, 3);
    for (size_t i = 0; i < 3; ++i)
      out[i] = uint32_t(members[i].integer(1, most));
    if (int64_t(out[0]) * out[1] * out[2] > most) fail("a product of at most " + std::to_string(most));
  }

private:
  const Json &json;
  std::string path;
};

} // namespace mxc
