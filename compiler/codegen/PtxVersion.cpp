#include "compiler/codegen/PtxVersion.h"
#include "compiler/codegen/CudaToolkit.h"
#include "compiler/codegen/ExternalTool.h"
#include "compiler/codegen/NvJitLink.h"

#include "llvm/ADT/StringExtras.h"

#include <map>
#include <mutex>

namespace mxc {

namespace {

// The first release of each version (PTX ISA, "Release Notes").
struct Release {
  int major, minor, ptx;
};
constexpr Release kReleases[] = {{13, 0, 90}, {13, 1, 91}, {13, 2, 92}, {13, 3, 93}, {13, 4, 94}};

// Instructions, by a part that no other has, that LLVM takes as text without knowing what they need.
struct Need {
  std::string_view part;
  int ptx;
};
constexpr Need kNeeds[] = {{".e4m3x2.bf16x2 ", 91}, {".e5m2x2.bf16x2 ", 91}, {".e2m3x2.bf16x2 ", 91},
                           {".e3m2x2.bf16x2 ", 91}, {".e2m1x2.bf16x2 ", 91}, {".scaled::n2::ue8m0", 92}};

// "Cuda compilation tools, release 13.0, V13.0.88"
ToolkitRelease releaseSaidBy(const std::string &ptxas) {
  std::string text;
  if (runTool(ptxas, {"--version"}, text)) return {};
  auto [number, rest] = llvm::StringRef(text).split("release ").second.split(",");
  auto [majorText, minorText] = number.split(".");
  ToolkitRelease release;
  if (majorText.getAsInteger(10, release.major) || minorText.getAsInteger(10, release.minor)) return {};
  return release;
}

} // namespace

// A program is asked once.
ToolkitRelease releaseOf(const std::string &ptxas) {
  static std::mutex mutex;
  static std::map<std::string, ToolkitRelease> known;
  std::lock_guard lock(mutex);
  auto [entry, isNew] = known.try_emplace(ptxas);
  if (isNew) entry->second = releaseSaidBy(ptxas);
  return entry->second;
}

std::optional<int> ptxVersionNamed(std::string_view text) {
  auto [majorText, minorText] = llvm::StringRef(text).split(".");
  int major = 0, minor = 0;
  if (majorText.getAsInteger(10, major) || minorText.getAsInteger(10, minor) || major < 1 || major > 99 ||
      minor < 0 || minor > 9)
    return std::nullopt;
  return 10 * major + minor;
}

int newestPtxOf(int major, int minor) {
  int newest = 0;
  for (const Release &release : kReleases)
    if (std::pair(release.major, release.minor) <= std::pair(major, minor)) newest = release.ptx;
  return newest;
}

int newestPtxOf(Assembler assembler) {
  std::string missing;
  if (assembler != Assembler::Ptxas)
    if (const NvJitLink *linker = NvJitLink::load(missing))
      return newestPtxOf(linker->major(), linker->minor());
  std::optional<std::string> ptxas = findPtxas();
  if (assembler == Assembler::NvJitLink || !ptxas) return 0;
  const ToolkitRelease release = releaseOf(*ptxas);
  return newestPtxOf(release.major, release.minor);
}

std::string ptxVersionText(int version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

static llvm::StringRef versionIn(llvm::StringRef ptx) {
  return ptx.split("\n.version ").second.take_until([](char c) { return c == '\n'; });
}

int ptxVersionOf(std::string_view ptx) { return ptxVersionNamed(versionIn(ptx)).value_or(0); }

std::string withVersionNeeded(std::string ptx) {
  int needed = 0;
  for (const Need &need : kNeeds)
    if (ptx.find(need.part) != ptx.npos) needed = std::max(needed, need.ptx);
  const llvm::StringRef version = versionIn(ptx);
  if (ptxVersionOf(ptx) < needed)
    ptx.replace(version.data() - ptx.data(), version.size(), ptxVersionText(needed));
  return ptx;
}

} // namespace mxc
