// A folder of the test's own, gone with it.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

class TemporaryFolder {
public:
  TemporaryFolder()
      : path_(std::filesystem::temp_directory_path() / ("mxc-test-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::string file(const std::string &name) const { return path_ / name; }
  std::string write(const std::string &name, const std::string &contents) const {
    std::ofstream(file(name), std::ios::binary) << contents;
    return file(name);
  }
  size_t files() const {
    auto all = std::filesystem::directory_iterator(path_);
    return static_cast<size_t>(std::distance(begin(all), end(all)));
  }

private:
  std::filesystem::path path_;
};
