#include "runtime/checkpoint/ShardIndex.h"

#include "dialect/formats/Error.h"
#include "runtime/files/FileBytes.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace mxc {

namespace {

using Shards = std::map<std::string, std::vector<std::string>>;

/// Takes the parser's events. No document is built: of what else an index holds ("metadata") nothing is kept.
class IndexReader : public nlohmann::json_sax<nlohmann::json> {
public:
  explicit IndexReader(const std::string &path) : path_(path) {}

  Shards take() {
    if (!hasMap_) refuse("it has no weight_map");
    for (auto &[shard, tensors] : shards_)
      std::ranges::sort(tensors); // messages name the first
    return std::move(shards_);
  }

  bool null() override { return other("null"); }
  bool boolean(bool) override { return other("a boolean"); }
  bool number_integer(int64_t) override { return other("a number"); }
  bool number_unsigned(uint64_t) override { return other("a number"); }
  bool number_float(double, const std::string &) override { return other("a number"); }
  bool binary(binary_t &) override { return other("binary data"); }

  bool string(std::string &shard) override {
    if (!isInMap()) return other("a string");
    if (shard.empty() || shard.find('/') != shard.npos)
      throw invalid("tensor '" + tensor_ + "': expected the name of a file beside the index, found '" +
                    shard + "'");
    shards_[shard].push_back(tensor_);
    return true;
  }

  bool start_object(size_t) override {
    if (depth_ != 0 && !(depth_ == 1 && isMap_)) other("an object");
    return enter();
  }
  bool end_object() override { return --depth_, true; }
  bool start_array(size_t) override { return other("an array"), enter(); }
  bool end_array() override { return --depth_, true; }

  bool key(std::string &name) override {
    if (depth_ == 1) {
      isMap_ = name == "weight_map";
      if (isMap_ && hasMap_) throw invalid("'weight_map' stands there twice");
      hasMap_ |= isMap_;
    } else if (isInMap()) {
      if (!tensors_.insert(name).second) throw invalid("'" + name + "' stands there twice");
      tensor_ = name;
    }
    return true;
  }

  bool parse_error(size_t, const std::string &, const nlohmann::detail::exception &error) override {
    refuse(error.what());
  }

private:
  static constexpr int kMostLevels = 100;

  bool isInMap() const { return isMap_ && depth_ == 2; }

  bool enter() {
    if (++depth_ > kMostLevels) throw invalid("expected at most " + std::to_string(kMostLevels) + " levels");
    return true;
  }

  /// A value beside the map may be any.
  bool other(const std::string &found) const {
    if (depth_ == 0) refuse("found " + found);
    if (isMap_) refuse("found " + found + (depth_ == 1 ? " as the map" : " for tensor '" + tensor_ + "'"));
    return true;
  }

  Error invalid(const std::string &why) const { return Error(ErrorKind::InvalidInput, path_ + ": " + why); }
  [[noreturn]] void refuse(const std::string &why) const {
    throw invalid("expected {\"weight_map\": {tensor: file}}: " + why);
  }

  const std::string &path_;
  int depth_ = 0;
  bool isMap_ = false, hasMap_ = false; // the key of depth 1 that was last; of any
  std::string tensor_;
  std::set<std::string> tensors_;
  Shards shards_;
};

} // namespace

std::map<std::string, std::vector<std::string>> readShardIndex(const std::string &path) {
  constexpr size_t kMaximumBytes = 100'000'000; // as a safetensors header
  const FileBytes file = readFile(path, kMaximumBytes);
  const auto *text = reinterpret_cast<const char *>(file.data.get());
  IndexReader reader(path);
  nlohmann::json::sax_parse(text, text + file.size, &reader);
  return reader.take();
}

} // namespace mxc
