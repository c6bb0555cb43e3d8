#include "runtime/simulator/Options.h"

#include "dialect/formats/Error.h"
#include "runtime/environment/Environment.h"
#include "runtime/environment/HostMemory.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace mxc::sim {

[[noreturn]] static void refuse(std::string_view what, std::string_view value, std::string_view expected) {
  throw Error(ErrorKind::Usage,
              std::string(what) + " '" + std::string(value) + "': expected " + std::string(expected));
}

template <class Number>
static Number number(std::string_view what, std::string_view text, std::string_view expected) {
  Number value = 0;
  const char *end = text.data() + text.size();
  auto [parsed, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || parsed != end) refuse(what, text, expected);
  return value;
}

static Checks levelNamed(std::string_view name) {
  if (name == "off") return Checks::Off;
  if (name == "standard") return Checks::Standard;
  if (name == "strict") return Checks::Strict;
  refuse("checks", name, "off, standard or strict");
}

static Finding findingNamed(std::string_view name) {
  std::string names;
  for (size_t i = 0; i < kFindings; ++i) {
    const auto finding = Finding(i);
    if (sim::name(finding) == name) return finding;
    names += (names.empty() ? "-" : ", -") + std::string(sim::name(finding));
  }
  refuse("checks: finding", name, "one of " + names);
}

void setChecks(Options &options, const std::string &text) {
  std::string_view rest = text;
  auto next = [&] {
    const size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
    return word;
  };
  options.checks = levelNamed(next());
  options.leftOut = 0;
  for (bool hasMore = text.find(',') != text.npos; hasMore;) {
    hasMore = rest.find(',') != rest.npos;
    const std::string_view word = next();
    if (!word.starts_with('-'))
      refuse("checks", text, "a level, then findings to leave out: strict,-shared-race");
    options.leftOut |= 1u << unsigned(findingNamed(word.substr(1)));
  }
}

Schedule scheduleNamed(const std::string &name) {
  constexpr std::string_view kExpected = "eager, lazy, random:SEED or sweep[:SEEDS]",
                             kRandom = "random:", kSweep = "sweep:";
  constexpr uint64_t kSeeds = 8, kMostSeeds = 1000; // of a sweep
  if (name == "eager") return {Schedule::Kind::Eager, 0};
  if (name == "lazy") return {Schedule::Kind::Lazy, 0};
  if (name == "sweep") return {Schedule::Kind::Sweep, kSeeds};
  if (name.starts_with(kSweep)) {
    constexpr std::string_view kCount = "a number up to 1000";
    const auto seeds =
        number<uint64_t>("the seeds of schedule", std::string_view(name).substr(kSweep.size()), kCount);
    if (seeds > kMostSeeds) refuse("the seeds of schedule", name, kCount);
    return {Schedule::Kind::Sweep, seeds};
  }
  if (!name.starts_with(kRandom)) refuse("schedule", name, kExpected);
  return {
      Schedule::Kind::Random,
      number<uint64_t>("the seed of schedule", std::string_view(name).substr(kRandom.size()), "a number")};
}

std::string name(const Schedule &schedule) {
  switch (schedule.kind) {
  case Schedule::Kind::Eager:
    return "eager";
  case Schedule::Kind::Lazy:
    return "lazy";
  case Schedule::Kind::Random:
    return "random:" + std::to_string(schedule.seed);
  case Schedule::Kind::Sweep:
    return "sweep:" + std::to_string(schedule.seed);
  }
  return "";
}

TensorArithmetic tensorArithmeticNamed(const std::string &name) {
  if (name == "exact") return TensorArithmetic::Exact;
  if (name == "f64") return TensorArithmetic::Double;
  refuse("tensor arithmetic", name, "exact or f64");
}

TimelineWindow timelineWindowNamed(const std::string &text) {
  constexpr std::string_view kExpected = "FROM:TO, two numbers of instructions, the first of them less";
  const size_t colon = text.find(':');
  if (colon == std::string::npos) refuse("timeline window", text, kExpected);
  auto part = [&](size_t begin, size_t count) {
    return number<uint64_t>("timeline window", std::string_view(text).substr(begin, count), kExpected);
  };
  const TimelineWindow window{part(0, colon), part(colon + 1, std::string::npos)};
  if (window.from >= window.to) refuse("timeline window", text, kExpected);
  return window;
}

std::string traceFilterNamed(const std::string &filter) {
  constexpr std::string_view kExpected = "* or CTA:WARP, two numbers from 0 or *";
  if (filter.empty() || filter == "*") return filter;
  size_t colon = filter.find(':');
  if (colon == std::string::npos) refuse("trace", filter, kExpected);
  auto named = [&](std::string_view part) {
    return part == "*" ? "*" : std::to_string(number<uint32_t>("trace", part, kExpected));
  };
  return named(std::string_view(filter).substr(0, colon)) + ":" +
         named(std::string_view(filter).substr(colon + 1));
}

uint64_t memoryBudget(const Options &options) {
  return options.memoryBytes ? options.memoryBytes : hostMemoryBudget();
}

/// What a function makes of a variable's value; its errors begin with the variable.
template <typename Named> static auto valueOf(const char *variable, const std::string &value, Named named) {
  try {
    return named(value);
  } catch (const Error &error) {
    throw Error(error.kind(), std::string(variable) + ": " + error.what());
  }
}

/// A file that nobody can write is told before a launch has anything to say.
static std::string writable(const char *variable, const std::string &path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == path.npos ? "." : path.substr(0, slash + 1);
  struct stat status;
  const bool exists = stat(path.c_str(), &status) == 0;
  const bool isGiven = path.starts_with("/dev/") || path.starts_with("/proc/"); // open already
  if (exists && (S_ISDIR(status.st_mode) || (S_ISFIFO(status.st_mode) && !isGiven)))
    refuse(variable, path, S_ISDIR(status.st_mode) ? "a file, found a folder" : "a file, found a named pipe");
  if (access(exists ? path.c_str() : folder.c_str(), W_OK) != 0)
    refuse(variable, path, std::string("a file that can be written: ") + std::strerror(errno));
  return path;
}

Options optionsFromEnvironment(std::string target) {
  using enum EnvironmentVariable;
  Options options;
  options.target = std::move(target);
  if (auto value = environment(SimulatorChecks))
    valueOf("MXC_SIM_CHECKS", *value, [&](const std::string &text) { return setChecks(options, text); });
  if (auto value = environment(SimulatorSchedule))
    options.schedule = valueOf("MXC_SIM_SCHEDULE", *value, scheduleNamed);
  if (auto value = environment(SimulatorTensor))
    options.tensorArithmetic = valueOf("MXC_SIM_TENSOR", *value, tensorArithmeticNamed);
  if (auto value = environment(SimulatorThreads)) {
    constexpr std::string_view kExpected = "a number of host threads up to 1024, 0 for one a core";
    options.threads = number<unsigned>("MXC_SIM_THREADS", *value, kExpected);
    if (options.threads > 1024) refuse("MXC_SIM_THREADS", *value, kExpected);
  }
  if (auto value = environment(SimulatorMultiprocessors))
    options.multiprocessors =
        number<uint32_t>("MXC_SIM_SMS", *value, "a number of multiprocessors, 0 for the chip's");
  if (auto value = environment(SimulatorTrace))
    options.traceFilter = valueOf("MXC_SIM_TRACE", *value, traceFilterNamed);
  if (auto value = environment(SimulatorReport)) options.reportFile = writable("MXC_SIM_REPORT", *value);
  if (auto value = environment(SimulatorFeatures))
    options.featuresFile = writable("MXC_SIM_FEATURES", *value);
  if (auto value = environment(SimulatorTimeline))
    options.timelineFile = writable("MXC_SIM_TIMELINE", *value);
  if (auto value = environment(SimulatorTimelineWindow))
    options.timelineWindow = valueOf("MXC_SIM_TIMELINE_WINDOW", *value, timelineWindowNamed);
  if (auto value = environment(SimulatorLimit))
    options.instructionLimit = number<uint64_t>("MXC_SIM_LIMIT", *value, "a number of warp instructions");
  if (auto value = environment(SimulatorMemory))
    options.memoryBytes = number<uint64_t>("MXC_SIM_MEMORY", *value, "a number of bytes");
  return options;
}

} // namespace mxc::sim
