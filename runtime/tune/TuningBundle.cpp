#include "runtime/tune/TuningBundle.h"

#include "dialect/formats/Error.h"
#include "runtime/files/FileBytes.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace mxc::tune {

using Json = nlohmann::ordered_json;

static constexpr int kVersion = 1;

std::string bundleText(std::span<const TunedRow> rows) {
  Json list = Json::array();
  for (const TunedRow &row : rows) {
    const TunedChoice &c = row.choice;
    list.push_back({{"kernel", row.key.kernel},
                    {"device", row.key.device},
                    {"multiprocessors", row.key.multiprocessors},
                    {"bucket", c.bucket.text()},
                    {"build", c.build},
                    {"assembler", c.assembler},
                    {"tile", c.tile},
                    {"shape", c.shape},
                    {"measure", c.measure},
                    {"score", c.score},
                    {"seconds", c.seconds}});
  }
  return Json{{"mxcTuning", kVersion}, {"choices", list}}.dump(1, ' ', false,
                                                               Json::error_handler_t::replace) +
         "\n";
}

namespace {

class BundleReader {
public:
  explicit BundleReader(const std::string &name) : name_(name) {}

  std::vector<TunedRow> read(std::string_view text) const {
    const Json bundle = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!bundle.is_object() || !bundle.contains("mxcTuning"))
      refuse("expected a tuning bundle of mxc's, JSON");
    if (bundle["mxcTuning"] != kVersion)
      refuse("expected version " + std::to_string(kVersion) + " of a tuning bundle, found " +
             found(bundle["mxcTuning"]));
    if (!bundle.contains("choices") || !bundle["choices"].is_array()) refuse("expected a list \"choices\"");
    std::vector<TunedRow> rows;
    for (const Json &entry : bundle["choices"])
      rows.push_back(rowOf(entry, "choice " + std::to_string(rows.size())));
    return rows;
  }

private:
  /// A list or an object by its kind alone: writing it calls itself for each level, of which a stranger's
  /// file has as many as it likes.
  static std::string found(const Json &value) {
    if (value.is_structured()) return std::string("an ") + value.type_name();
    return value.dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 40);
  }
  [[noreturn]] void refuse(const std::string &what) const {
    throw Error(ErrorKind::InvalidInput, name_ + ": " + what);
  }

  const Json &member(const Json &entry, const char *name, const std::string &where) const {
    if (!entry.is_object() || !entry.contains(name)) refuse(where + " has no \"" + name + "\"");
    return entry[name];
  }
  std::string text(const Json &entry, const char *name, const std::string &where) const {
    constexpr size_t kMostLetters = 65536;
    const Json &value = member(entry, name, where);
    if (!value.is_string() || value.get_ref<const std::string &>().size() > kMostLetters)
      refuse(where + ": \"" + name + "\": expected text");
    return value.get<std::string>();
  }
  double number(const Json &entry, const char *name, const std::string &where) const {
    const Json &value = member(entry, name, where);
    if (!value.is_number() || !std::isfinite(value.get<double>()) || std::fabs(value.get<double>()) > 0x1p53)
      refuse(where + ": \"" + name + "\": expected a number");
    return value.get<double>();
  }

  TunedRow rowOf(const Json &entry, const std::string &where) const {
    auto words = [&](const char *name) { return text(entry, name, where); };
    const std::optional<ShapeBucket> bucket = ShapeBucket::parse(words("bucket"));
    if (!bucket) refuse(where + ": \"bucket\": expected \"K <= 8192, M <= 1024\" with powers of two");
    const double multiprocessors = number(entry, "multiprocessors", where);
    if (multiprocessors < 0 || multiprocessors > 1e6)
      refuse(where + ": \"multiprocessors\": expected a count");
    return {{words("kernel"), words("device"), static_cast<int>(multiprocessors)},
            {*bucket, words("build"), words("assembler"), words("tile"), words("shape"), words("measure"),
             number(entry, "score", where), static_cast<int64_t>(number(entry, "seconds", where))}};
  }

  const std::string &name_;
};

} // namespace

std::vector<TunedRow> bundleRows(std::string_view text, const std::string &name) {
  return BundleReader(name).read(text);
}

Imported importBundle(const std::string &path, const TuningDatabase &database) {
  constexpr size_t kMostBytes = size_t(64) << 20;
  const FileBytes file = readFile(path, kMostBytes);
  const std::vector<TunedRow> rows =
      bundleRows({reinterpret_cast<const char *>(file.data.get()), file.size}, path);
  return {rows.size(), database.store(rows)};
}

} // namespace mxc::tune
