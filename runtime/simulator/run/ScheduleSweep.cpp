#include "runtime/simulator/run/ScheduleSweep.h"

#include "dialect/formats/Error.h"
#include "runtime/simulator/machine/Program.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace mxc::sim {

namespace {

/// What a trial left: a hash of each stretch of device memory, or its fault.
struct TrialOutcome {
  std::optional<Fault> fault;
  std::vector<uint64_t> hashes;
};

constexpr uint64_t kLeastStretch = 16, kMostStretches = 1 << 16; // of an allocation

uint64_t stretchOf(uint64_t bytes) {
  const uint64_t wide = (bytes + kMostStretches - 1) / kMostStretches;
  return std::max(kLeastStretch, (wide + kLeastStretch - 1) / kLeastStretch * kLeastStretch);
}

std::vector<uint64_t> hashesOf(const GlobalMemory &memory) {
  std::vector<uint64_t> hashes;
  memory.forEachAllocation([&](const Allocation &allocation) {
    const uint64_t stretch = stretchOf(allocation.bytes);
    const auto *bytes = reinterpret_cast<const char *>(memory.host(allocation.address));
    for (uint64_t at = 0; at < allocation.bytes; at += stretch)
      hashes.push_back(std::hash<std::string_view>()({bytes + at, std::min(stretch, allocation.bytes - at)}));
  });
  return hashes;
}

/// "bytes 32 to 47 of allocation 3 of 4096 bytes": of the hash of that number.
std::string placeOf(const GlobalMemory &memory, size_t index) {
  std::string place;
  bool isPast = false;
  memory.forEachAllocation([&](const Allocation &allocation) {
    const uint64_t stretch = stretchOf(allocation.bytes), count = (allocation.bytes + stretch - 1) / stretch;
    if (!isPast && index < count)
      place = "bytes " + std::to_string(index * stretch) + " to " +
              std::to_string(std::min((index + 1) * stretch, allocation.bytes) - 1) + " of " +
              allocation.name + " of " + std::to_string(allocation.bytes) + " bytes";
    isPast = isPast || index < count;
    index -= std::min<size_t>(index, count);
  });
  return place;
}

/// Bytes through a pipe, from a trial to the process that waits for it.
class Writer {
public:
  explicit Writer(int descriptor) : descriptor_(descriptor) {}
  template <typename Value> void value(const Value &value) { bytes(&value, sizeof value); }
  void text(const std::string &text) {
    value(text.size());
    bytes(text.data(), text.size());
  }
  void bytes(const void *from, size_t count) {
    for (const char *at = static_cast<const char *>(from); count > 0;) {
      const ssize_t written = write(descriptor_, at, count);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) _exit(1); // nobody reads any more
      at += written, count -= static_cast<size_t>(written);
    }
  }

private:
  int descriptor_;
};

class Reader {
public:
  explicit Reader(std::string bytes) : bytes_(std::move(bytes)) {}
  template <typename Value> Value value() {
    Value value{};
    bytes(&value, sizeof value);
    return value;
  }
  std::string text() {
    std::string text(std::min(value<size_t>(), bytes_.size() - at_), '\0');
    bytes(text.data(), text.size());
    return text;
  }
  void bytes(void *to, size_t count) {
    isCut_ |= count > bytes_.size() - at_;
    count = std::min(count, bytes_.size() - at_);
    std::memcpy(to, bytes_.data() + at_, count);
    at_ += count;
  }
  size_t left() const { return bytes_.size() - at_; }
  bool isCut() const { return isCut_; }

private:
  std::string bytes_;
  size_t at_ = 0;
  bool isCut_ = false;
};

void send(Writer out, const LaunchResult &result, const GlobalMemory &memory) {
  out.value(result.fault.has_value());
  if (const std::optional<Fault> &fault = result.fault) {
    out.value(fault->kind);
    for (const std::string *text : {&fault->message, &fault->kernel, &fault->instruction, &fault->source})
      out.text(*text);
    out.value(fault->line), out.value(fault->column), out.value(fault->cta), out.value(fault->thread);
    out.value(fault->warp), out.value(fault->lane);
    return;
  }
  const std::vector<uint64_t> hashes = hashesOf(memory);
  out.bytes(hashes.data(), hashes.size() * sizeof(uint64_t));
}

TrialOutcome received(std::string bytes) {
  Reader in(std::move(bytes));
  TrialOutcome outcome;
  if (in.value<bool>()) {
    Fault &fault = outcome.fault.emplace();
    fault.kind = in.value<FaultKind>();
    for (std::string *text : {&fault.message, &fault.kernel, &fault.instruction, &fault.source})
      *text = in.text();
    fault.line = in.value<uint32_t>(), fault.column = in.value<uint32_t>();
    fault.cta = in.value<std::array<uint32_t, 3>>(), fault.thread = in.value<std::array<uint32_t, 3>>();
    fault.warp = in.value<int>(), fault.lane = in.value<int>();
  } else {
    outcome.hashes.resize(in.left() / sizeof(uint64_t));
    in.bytes(outcome.hashes.data(), outcome.hashes.size() * sizeof(uint64_t));
  }
  if (in.isCut()) throw Error(ErrorKind::Device, "a trial of a sweep ended before it told its outcome");
  return outcome;
}

std::string readToEnd(int descriptor) {
  std::string bytes;
  char part[65536];
  for (;;) {
    const ssize_t count = read(descriptor, part, sizeof part);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return bytes;
    bytes.append(part, static_cast<size_t>(count));
  }
}

/// Runs `trial` in a fork, which has this process's memory and none of its other threads.
TrialOutcome inFork(const std::function<void(Writer)> &trial) {
  int ends[2];
  if (pipe(ends) != 0)
    throw Error(ErrorKind::Device, std::string("cannot run a trial of a sweep: ") + std::strerror(errno));
  const pid_t process = fork();
  if (process == 0) {
    close(ends[0]);
    trial(Writer(ends[1]));
    _exit(0);
  }
  const int error = errno;
  close(ends[1]);
  std::string bytes = process < 0 ? "" : readToEnd(ends[0]);
  close(ends[0]);
  if (process < 0)
    throw Error(ErrorKind::Device, std::string("cannot run a trial of a sweep: ") + std::strerror(error));
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    throw Error(ErrorKind::Device,
                std::string("a trial of a sweep was ended by ") + strsignal(WTERMSIG(status)));
  return received(std::move(bytes));
}

std::vector<Schedule> schedulesOf(uint64_t seeds) {
  std::vector<Schedule> schedules = {{Schedule::Kind::Eager, 0}, {Schedule::Kind::Lazy, 0}};
  for (uint64_t seed = 1; seed <= seeds; ++seed)
    schedules.push_back({Schedule::Kind::Random, seed});
  return schedules;
}

} // namespace

LaunchResult sweep(const Program &program, const Launch &launch, GlobalMemory &memory, const Options &options,
                   KernelServices &services) {
  std::optional<std::vector<uint64_t>> eager;
  for (const Schedule &schedule : schedulesOf(options.schedule.seed)) {
    Options own = options;
    own.schedule = schedule;
    own.timelineFile.clear(), own.featuresFile.clear(), own.traceFilter.clear();
    TrialOutcome outcome = inFork([&](Writer out) {
      try {
        send(out, run(program, launch, memory, own, services), memory);
      } catch (const std::exception &error) {
        LaunchResult failed;
        failed.fault = FaultError(FaultKind::Limit, error.what()).fault;
        failed.fault->kernel = program.function->name;
        send(out, failed, memory);
      }
    });
    if (outcome.fault) {
      outcome.fault->schedule = name(schedule);
      return {std::move(outcome.fault), {}, {}};
    }
    if (!eager) eager = std::move(outcome.hashes);
    const auto [was, is] = std::ranges::mismatch(*eager, outcome.hashes);
    if (is == outcome.hashes.end()) continue;
    Fault fault;
    fault.kind = FaultKind::Schedules;
    fault.message = placeOf(memory, size_t(is - outcome.hashes.begin())) +
                    " are not what the eager schedule leaves there";
    fault.kernel = program.function->name;
    fault.schedule = name(schedule);
    return {std::move(fault), {}, {}};
  }
  Options last = options;
  last.schedule = {Schedule::Kind::Eager, 0};
  return run(program, launch, memory, last, services);
}

LaunchResult runAsScheduled(const Program &program, const Launch &launch, GlobalMemory &memory,
                            const Options &options, KernelServices &services) {
  return options.schedule.kind == Schedule::Kind::Sweep ? sweep(program, launch, memory, options, services)
                                                        : run(program, launch, memory, options, services);
}

} // namespace mxc::sim
