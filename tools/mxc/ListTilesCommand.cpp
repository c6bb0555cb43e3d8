// mxc compile --list-tiles
#include "tools/mxc/Commands.h"
#include "tools/mxc/KernelSource.h"
#include "tools/mxc/OutputFile.h"

namespace mxc {

static std::string textOf(const KernelTiles &kernel, const std::string &target) {
  std::string text = "kernel " + kernel.kernel + " on " + target + "\n";
  if (kernel.tiles.empty() && kernel.defaults.empty()) return text + "  has no tiles\n";
  text += "  launched where nobody chooses, the first that fits:\n";
  for (const std::string &tile : kernel.defaults)
    text += "    " + tile + "\n";
  for (bool isRefused : {false, true}) {
    bool isFirst = true;
    for (const ListedTile &tile : kernel.tiles) {
      if (tile.refusal.empty() == isRefused) continue;
      if (isFirst) text += isRefused ? "  refused:\n" : "  candidates:\n";
      isFirst = false;
      text += "    " + tile.tile + (tile.estimate.empty() ? "" : "; " + tile.estimate) + "\n";
      if (isRefused) text += "      " + tile.refusal + "\n";
    }
  }
  return text;
}

void listKernelTiles(const CompileCommand &command) {
  if (command.targets.find(',') != std::string::npos)
    throw Error(ErrorKind::Usage, "--list-tiles: expected one target, found '" + command.targets + "'");
  if (!command.tile.empty() || !command.emit.empty())
    throw Error(ErrorKind::Usage, "--list-tiles goes without --tile and --emit");
  const std::string output = command.output.empty() ? "-" : command.output;
  checkNotInput(output, command.input);
  std::string text;
  for (const KernelTiles &kernel : KernelSource::read(command.input).listTiles(command.targets))
    text += (text.empty() ? "" : "\n") + textOf(kernel, command.targets);
  writeOutput(output, text);
}

} // namespace mxc
