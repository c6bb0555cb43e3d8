#include "tests/unit/mutation/Mutants.h"

#include "runtime/simulator/driver/Control.h"
#include "tests/unit/simulator/OrderingLines.h"

#include <algorithm>

namespace {

/// "mbarrier.try_wait.parity.shared.b64 %p9, [%rd9], %r17;" -> "mov.pred %p9, -1;"
std::string waitThatIsOver(const std::string &line) {
  size_t first = line.find('%'), end = line.find(',', first);
  return "mov.pred " + line.substr(first, end - first) + ", -1;";
}

/// "mbarrier.arrive.expect_tx.shared.b64 %rd1, [%rd9], %r17;" without the bytes.
std::string arrivalWithoutBytes(std::string line) {
  constexpr std::string_view kWord = ".expect_tx";
  line.erase(line.find(kWord), kWord.size());
  return line.substr(0, line.rfind(',')) + ";";
}

} // namespace

std::string withoutOrder(std::string line) {
  if (line.find(".gpu.global.") == std::string::npos) return "";
  for (std::string_view word : {".acquire.", ".release.", ".acq_rel."})
    if (size_t at = line.find(word); at != std::string::npos)
      return line.replace(at, word.size(), ".relaxed.");
  return "";
}

static std::string linesAround(const std::vector<std::string> &lines, size_t at) {
  constexpr size_t kFront = 6, kBehind = 6;
  std::string text;
  for (size_t i = at - std::min(at, kFront); i < std::min(lines.size(), at + kBehind + 1); ++i)
    if (i != at) text += lines[i] + "\n";
  return text;
}

std::string opcodeOf(const std::string &line) {
  size_t first = line.find_first_not_of(" \t");
  if (line[first] == '@') first = line.find_first_not_of(" \t", line.find_first_of(" \t", first));
  return line.substr(first, line.find_first_of(" \t;", first) - first);
}

/// "mbarrier.arrive" of an arrival, "bar.warp.sync": two or three words of it.
static std::string shortOpcode(const std::string &line) {
  const std::string opcode = opcodeOf(line);
  for (std::string_view word : {"mbarrier.arrive", "mbarrier.try_wait", "bar.warp.sync"})
    if (opcode.starts_with(word)) return std::string(word);
  return opcode;
}

/// The lines of the entry that order something: their places.
static std::vector<size_t> orderingIn(const std::vector<std::string> &lines, const std::string &entry) {
  std::vector<size_t> places;
  bool isInEntry = false;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find(".entry ") != std::string::npos)
      isInEntry = lines[i].find(".entry " + entry + "(") != std::string::npos;
    if (isInEntry && ordersSomething(lines[i])) places.push_back(i);
  }
  return places;
}

std::vector<Mutant> mutantsOf(const std::string &ptx, const std::string &entry) {
  constexpr size_t kBeside = 3;
  const std::vector<std::string> lines = linesOf(ptx);
  const std::vector<size_t> places = orderingIn(lines, entry);
  std::vector<Mutant> mutants;
  for (size_t number = 0; number < places.size(); ++number) {
    const size_t at = places[number];
    const std::string &line = lines[at];
    std::string order;
    for (size_t i = number - std::min(number, kBeside); i < std::min(places.size(), number + kBeside + 1);
         ++i)
      order += i == number ? "> " : shortOpcode(lines[places[i]]) + "; ";
    auto add = [&](const std::string &instead, const std::string &what) {
      std::vector<std::string> changed = lines;
      changed[at] = instead;
      mutants.push_back({what + "line " + std::to_string(at + 1) + ":" + line, linesAround(lines, at), order,
                         joined(changed)});
    };
    bool isWait = line.find("try_wait") != std::string::npos;
    add(isWait ? waitThatIsOver(line) : "", "");
    if (line.find(".expect_tx") != std::string::npos) add(arrivalWithoutBytes(line), "the bytes of ");
  }
  return mutants;
}

std::vector<Mutant> relaxedMutantsOf(const std::string &ptx, const std::string &entry) {
  const std::vector<std::string> lines = linesOf(ptx);
  std::vector<Mutant> mutants;
  bool isInEntry = false;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find(".entry ") != std::string::npos)
      isInEntry = lines[i].find(".entry " + entry + "(") != std::string::npos;
    if (!isInEntry) continue;
    std::vector<std::string> changed = lines;
    changed[i] = withoutOrder(lines[i]);
    if (!changed[i].empty())
      mutants.push_back({"the order of line " + std::to_string(i + 1) + ":" + lines[i], linesAround(lines, i),
                         "", joined(changed)});
  }
  return mutants;
}

std::vector<mxc::sim::Schedule> schedules(uint64_t seeds) {
  using Kind = mxc::sim::Schedule::Kind;
  std::vector<mxc::sim::Schedule> all{{Kind::Lazy, 0}};
  for (uint64_t seed = 1; seed <= seeds; ++seed)
    all.push_back({Kind::Random, seed});
  all.push_back({Kind::Eager, 0});
  return all;
}

mxc::Device strictDevice(const std::string &target, mxc::sim::Schedule schedule, unsigned multiprocessors,
                         bool isBehindGrid) {
  mxc::sim::Options options = mxc::sim::simulatorOptions(target);
  options.checks = mxc::sim::Checks::Strict, options.schedule = schedule;
  options.threads = 1, options.multiprocessors = multiprocessors, options.isBehindGrid = isBehindGrid;
  mxc::sim::setSimulatorOptions(target, options);
  return mxc::openDevice("simulator:" + target);
}

mxc::Kernel kernelOf(const mxc::Device &device, const std::string &ptx) {
  return mxc::Module::fromImage(device, std::as_bytes(std::span(ptx))).kernel();
}
