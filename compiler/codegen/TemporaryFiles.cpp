#include "compiler/codegen/TemporaryFiles.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

namespace mxc {

TemporaryFolder::TemporaryFolder() {
  llvm::SmallString<128> folder;
  if (std::error_code code = llvm::sys::fs::createUniqueDirectory("mxc", folder))
    error_ = "no temporary folder: " + code.message();
  folder_ = folder.str().str();
}

TemporaryFolder::~TemporaryFolder() {
  if (!folder_.empty()) (void)llvm::sys::fs::remove_directories(folder_);
}

std::string TemporaryFolder::path(const std::string &name) const { return folder_ + "/" + name; }

static bool writeFile(const std::string &path, const std::string &content, std::string &error) {
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code);
  if (!code) {
    stream << content;
    stream.close();
    code = stream.error();
    stream.clear_error();
  }
  if (code) error = path + ": " + code.message();
  return !code;
}

bool TemporaryFolder::write(const std::string &name, const std::string &content) {
  return writeFile(path(name), content, error_);
}

std::string TemporaryFolder::read(const std::string &name) const {
  auto buffer = llvm::MemoryBuffer::getFile(path(name), /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

int TemporaryFolder::run(const std::string &program, const std::vector<std::string> &arguments,
                         std::string &output) {
  std::vector<std::string> words = {program};
  for (const std::string &argument : arguments) {
    // File names of this folder have a dot and no slash: "k.ptx", "--create=k.fatbin", "file=sm_90a.cubin".
    size_t start = argument.rfind('=') == std::string::npos ? 0 : argument.rfind('=') + 1;
    std::string last = argument.substr(start);
    bool isFile =
        last.find('.') != std::string::npos && last.find('/') == std::string::npos && last[0] != '-';
    words.push_back(isFile ? argument.substr(0, start) + path(last) : argument);
  }
  std::vector<llvm::StringRef> views(words.begin(), words.end());
  std::string log = path("log.txt"), message;
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), llvm::StringRef(log),
                                                llvm::StringRef(log)};
  // No limit of time: LLVM keeps one by the process's SIGALRM, which is the host's.
  int status =
      llvm::sys::ExecuteAndWait(program, views, std::nullopt, redirects, /*SecondsToWait=*/0, 0, &message);
  output = read("log.txt");
  if (status < 0) output += message;
  return status;
}

std::string keepForReproduction(const std::string &content, const std::string &suffix) {
  llvm::SmallString<128> path;
  std::string error;
  if (llvm::sys::fs::createTemporaryFile("mxc-failed", suffix.substr(1), path) ||
      !writeFile(path.str().str(), content, error))
    return "FILE" + suffix;
  return path.str().str();
}

} // namespace mxc
