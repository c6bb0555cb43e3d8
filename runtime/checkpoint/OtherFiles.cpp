#include "runtime/checkpoint/OtherFiles.h"

#include "runtime/checkpoint/QuantizationConfig.h"
#include "runtime/files/FolderEntries.h"
#include "runtime/files/ReadErrors.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <unistd.h>

namespace fs = std::filesystem;

namespace mxc {

static bool holdsWeights(const fs::path &file) {
  static const std::set<std::string> kEnds = {".safetensors", ".bin", ".pt", ".pth", ".gguf", ".onnx"};
  return kEnds.contains(file.extension());
}

namespace {

class Listing {
public:
  Listing(const Checkpoint &checkpoint, const std::string &output) : folder_(checkpoint.folder()) {
    std::error_code missing;
    output_ = fs::weakly_canonical(output, missing);
    for (const CheckpointShard &shard : checkpoint.shards())
      shards_.insert(shard.name);
  }

  OtherFiles list() {
    for (const std::string &name : entriesOf(folder_)) {
      const bool isMadeAnew = shards_.contains(name) || name == kConfig || name == kModelOptConfig ||
                              name.ends_with(".safetensors.index.json");
      if (!isMadeAnew) add(name, files_, 0);
    }
    return std::move(files_);
  }

private:
  static constexpr int kMostLevels = 32;

  void add(const std::string &name, OtherFiles &to, int level) const {
    const fs::path path = fs::path(folder_) / name;
    std::error_code error;
    const fs::file_status status = fs::status(path, error); // of what a link leads to
    if (error || !fs::exists(status))
      throw unreadable(path, error ? error.message() : "No such file or directory");
    if (fs::is_directory(status)) return addFolder(name, path, to, level);
    if (!fs::is_regular_file(status)) return leaveOut(name, "no regular file", to);
    if (holdsWeights(path)) return leaveOut(name, "weights", to);
    if (access(path.c_str(), R_OK) != 0) throw unreadable(path, std::strerror(errno));
    to.copied.push_back(name);
  }

  void addFolder(const std::string &name, const fs::path &path, OtherFiles &to, int level) const {
    std::error_code error;
    if (fs::canonical(path, error) == output_) return;
    const std::string folder = name + "/";
    if (path.filename().native().starts_with('.')) return leaveOut(folder, "hidden", to);
    if (fs::is_symlink(path, error)) return leaveOut(folder, "a link to a folder", to);
    if (level == kMostLevels) return leaveOut(folder, "too deep", to);
    OtherFiles inside;
    inside.copied.push_back(folder);
    for (const std::string &entry : entriesOf(path))
      add(folder + entry, inside, level + 1);
    const bool hasWeights = std::ranges::any_of(
        inside.leftOut, [](const std::string &left) { return left.ends_with("(weights)"); });
    if (hasWeights) return leaveOut(folder, "weights", to);
    to.copied.insert(to.copied.end(), inside.copied.begin(), inside.copied.end());
    to.leftOut.insert(to.leftOut.end(), inside.leftOut.begin(), inside.leftOut.end());
  }

  static void leaveOut(const std::string &name, const std::string &why, OtherFiles &from) {
    from.leftOut.push_back(name + " (" + why + ")");
  }

  std::string folder_;
  fs::path output_;
  std::set<std::string> shards_;
  OtherFiles files_;
};

} // namespace

OtherFiles otherFilesOf(const Checkpoint &checkpoint, const std::string &output) {
  return Listing(checkpoint, output).list();
}

} // namespace mxc
