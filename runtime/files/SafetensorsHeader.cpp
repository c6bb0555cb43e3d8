#include "runtime/files/SafetensorsHeader.h"

#include "dialect/formats/Error.h"

#include <nlohmann/json.hpp>

#include <limits>
#include <optional>

namespace mxc {

namespace {
/// Checks the JSON parser's events against the one valid form. No document is built: nesting beyond the form
/// is refused where it begins, and repeated keys are seen.
///
///   Start --{--> File --"name": {--> Entry --"shape": [--> Array
///                     --"__metadata__": {--> Metadata
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
public:
  HeaderReader(SafetensorsHeader &header, const std::string &file) : header_(header), file_(file) {}

  bool null() override { unexpected("null"); }
  bool boolean(bool) override { unexpected("a boolean"); }
  bool number_float(double, const std::string &text) override { unexpected("number " + text); }
  bool binary(binary_t &) override { unexpected("binary data"); }
  bool number_integer(int64_t value) override { unexpected("negative number " + std::to_string(value)); }

  bool number_unsigned(uint64_t value) override {
    if (place_ != Place::Array) unexpected("number " + std::to_string(value));
    numbers_.push_back(value);
    return true;
  }

  bool string(std::string &value) override {
    if (place_ == Place::Metadata)
      header_.metadata[key_] = value;
    else if (place_ == Place::Entry && key_ == "dtype")
      dtype_ = value;
    else
      unexpected("string '" + value + "'");
    return true;
  }

  bool start_object(size_t) override {
    if (place_ == Place::Start) {
      place_ = Place::File;
    } else if (place_ == Place::File) {
      tensor_ = key_;
      place_ = key_ == "__metadata__" ? Place::Metadata : Place::Entry;
      dtype_.reset();
      shape_.reset();
      offsets_.reset();
    } else {
      unexpected("an object");
    }
    return true;
  }

  bool key(std::string &name) override {
    key_ = name;
    switch (place_) {
    case Place::File:
      if (name.empty()) refuse("empty tensor name");
      if (name == "__metadata__" ? hasMetadata_ : header_.tensors.count(name) > 0)
        refuse("'" + name + "' stands there twice");
      hasMetadata_ |= name == "__metadata__";
      break;
    case Place::Metadata:
      if (header_.metadata.count(name)) refuse("metadata key '" + name + "' stands there twice");
      break;
    default:
      if (name != "dtype" && name != "shape" && name != "data_offsets")
        refuseTensor("expected dtype, shape and data_offsets, found key '" + name + "'");
      if (name == "dtype" ? dtype_.has_value() : name == "shape" ? shape_.has_value() : offsets_.has_value())
        refuseTensor("key '" + name + "' stands there twice");
    }
    return true;
  }

  bool end_object() override {
    if (place_ == Place::Entry) {
      if (!dtype_ || !shape_ || !offsets_)
        refuseTensor(std::string("key '") +
                     (!dtype_   ? "dtype"
                      : !shape_ ? "shape"
                                : "data_offsets") +
                     "' is missing");
      header_.tensors[tensor_] = {*dtype_, *shape_, (*offsets_)[0], (*offsets_)[1]};
    }
    place_ = Place::File;
    return true;
  }

  bool start_array(size_t) override {
    if (place_ != Place::Entry || key_ == "dtype") unexpected("an array");
    place_ = Place::Array;
    numbers_.clear();
    return true;
  }

  bool end_array() override {
    place_ = Place::Entry;
    if (key_ == "data_offsets") {
      if (numbers_.size() != 2)
        refuseTensor("data_offsets: expected 2 numbers, found " + std::to_string(numbers_.size()));
      offsets_ = numbers_;
      return true;
    }
    shape_.emplace();
    for (uint64_t size : numbers_) {
      if (size > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
        refuseTensor("size " + std::to_string(size) + " in shape exceeds 2^63-1");
      shape_->push_back(static_cast<int64_t>(size));
    }
    return true;
  }

  bool parse_error(size_t position, const std::string &, const nlohmann::detail::exception &error) override {
    std::string why = error.what(); // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    size_t bracket = why.find("] ");
    refuse("invalid JSON at byte " + std::to_string(position) + ": " +
           (bracket == std::string::npos ? why : why.substr(bracket + 2)));
  }

private:
  enum class Place { Start, File, Entry, Array, Metadata };

  [[noreturn]] void refuse(const std::string &why) const {
    throw Error(ErrorKind::InvalidInput, file_ + ": safetensors header: " + why);
  }
  [[noreturn]] void refuseTensor(const std::string &why) const {
    throw Error(ErrorKind::InvalidInput, file_ + ": tensor '" + tensor_ + "': " + why);
  }
  [[noreturn]] void unexpected(const std::string &found) const {
    switch (place_) {
    case Place::Start:
      refuse("expected an object, found " + found);
    case Place::File:
      refuse("'" + key_ + "': expected an object, found " + found);
    case Place::Metadata:
      refuse("metadata '" + key_ + "': expected a string, found " + found);
    case Place::Array:
      refuseTensor(key_ + ": expected non-negative integers below 2^64, found " + found);
    case Place::Entry:
      break;
    }
    refuseTensor(key_ + ": expected " + (key_ == "dtype" ? "a string" : "an array") + ", found " + found);
  }

  SafetensorsHeader &header_;
  const std::string &file_;
  Place place_ = Place::Start;
  bool hasMetadata_ = false;
  std::string key_, tensor_;
  std::optional<std::string> dtype_;
  std::optional<std::vector<int64_t>> shape_;
  std::optional<std::vector<uint64_t>> offsets_;
  std::vector<uint64_t> numbers_;
};
} // namespace

SafetensorsHeader parseSafetensorsHeader(std::string_view json, const std::string &file) {
  if (size_t position = json.find('\0'); position != json.npos) // the parser would take it for the end
    throw Error(ErrorKind::InvalidInput, file + ": safetensors header: invalid JSON at byte " +
                                             std::to_string(position) + ": a NUL character");
  SafetensorsHeader header;
  HeaderReader reader(header, file);
  nlohmann::json::sax_parse(json.begin(), json.end(), &reader);
  return header;
}

} // namespace mxc
