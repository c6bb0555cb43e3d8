#include "tools/mxc/ExpectedShapes.h"

#include "dialect/formats/Error.h"
#include "runtime/simulator/driver/Chips.h"
#include "tools/mxc/ShapeText.h"

namespace mxc {

/// The sizes of a kernel's dimensions, and facts of the device where the text has them.
static Dimensions valuesOf(const KernelAbi &kernel, const std::string &text) {
  const std::string whose = "kernel '" + kernel.name + "'";
  if (text.find('=') == text.npos) return parseShape(text, kernel.dimensions, whose);
  std::vector<std::string> names = kernel.dimensions;
  if (!names.empty()) names.insert(names.end(), std::begin(kDeviceFacts), std::end(kDeviceFacts));
  Dimensions values = parsePartOfShape({text}, names, whose);
  for (const std::string &name : kernel.dimensions)
    if (!values.count(name))
      throw Error(ErrorKind::Usage,
                  "--shape: " + whose + " needs a size of " + name + ", found '" + text + "'");
  return values;
}

static void addLaunches(std::vector<ExpectedLaunch> &launches, const std::string &kernel, Dimensions values,
                        const std::vector<std::string> &targets) {
  for (const std::string &target : targets)
    for (const sim::Chip &chip : sim::chips()) {
      if (!sim::runs(chip, target)) continue;
      ExpectedLaunch launch{kernel, target, values};
      launch.values.emplace("SMs", chip.multiprocessors);
      launch.values.emplace("GBs", int64_t(2e-6 * chip.memoryClockKilohertz * chip.memoryBusBits / 8));
      launches.push_back(std::move(launch));
    }
}

std::vector<ExpectedLaunch> launchesOf(const std::vector<KernelAbi> &kernels,
                                       const std::vector<std::string> &shapes,
                                       const std::vector<std::string> &targets) {
  std::vector<ExpectedLaunch> launches;
  for (const std::string &shape : shapes) {
    checkShapeForm(shape);
    std::string refusals;
    bool isTaken = false;
    for (const KernelAbi &kernel : kernels)
      try {
        addLaunches(launches, kernel.name, valuesOf(kernel, shape), targets);
        isTaken = true;
      } catch (const Error &refusal) {
        refusals += (refusals.empty() ? "" : "; ") + std::string(refusal.what());
      }
    if (!isTaken) throw Error(ErrorKind::Usage, refusals);
  }
  return launches;
}

} // namespace mxc
