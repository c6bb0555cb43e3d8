#include "runtime/files/FolderEntries.h"

#include "runtime/files/ReadErrors.h"

#include <algorithm>
#include <filesystem>

namespace fs = std::filesystem;

namespace mxc {

std::vector<std::string> entriesOf(const std::string &folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    names.push_back(entry->path().filename());
  if (error) throw unreadable(folder, error.message());
  std::ranges::sort(names);
  return names;
}

} // namespace mxc
