#include "runtime/tune/CandidateFaults.h"

#include "dialect/formats/Error.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>
#include <sys/mman.h>

namespace mxc::tune {

static constexpr size_t kMostCandidates = 4096, kLongestReason = 1000;
static constexpr int64_t kNobody = -1;

/// The process that runs candidates writes it and, when that has ended, the one that waits for it.
struct CandidateFaults::Shared {
  std::atomic<int64_t> running{kNobody}, since{0}, patience{0}; // milliseconds of the steady clock
  char reasons[kMostCandidates][kLongestReason + 1];            // zeros, and no memory until written to
};

static int64_t millisecondsNow() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch())
      .count(); // the same in every process
}

CandidateFaults::CandidateFaults() {
  static_assert(std::atomic<int64_t>::is_always_lock_free);
  void *memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw Error(ErrorKind::Device, std::string("cannot share memory with a process that tries candidates: ") +
                                       std::strerror(errno));
  shared_ = new (memory) Shared;
}

CandidateFaults::~CandidateFaults() { munmap(shared_, sizeof(Shared)); }

void CandidateFaults::begin(size_t candidate, std::chrono::milliseconds patience) {
  if (candidate >= kMostCandidates)
    throw Error(ErrorKind::Usage,
                "expected at most " + std::to_string(kMostCandidates) + " candidates to tune");
  shared_->running = kNobody; // which is never overdue by what is said of another one
  shared_->since = millisecondsNow();
  shared_->patience = patience.count();
  shared_->running = static_cast<int64_t>(candidate);
}

void CandidateFaults::end() { shared_->running = kNobody; }

std::optional<size_t> CandidateFaults::running() const {
  const int64_t candidate = shared_->running;
  return candidate == kNobody ? std::nullopt : std::optional(static_cast<size_t>(candidate));
}

std::optional<size_t> CandidateFaults::overdue() const {
  const std::optional<size_t> candidate = running();
  return candidate && millisecondsNow() - shared_->since > shared_->patience ? candidate : std::nullopt;
}

std::chrono::milliseconds CandidateFaults::patience() const {
  return std::chrono::milliseconds(shared_->patience);
}

void CandidateFaults::record(size_t candidate, const std::string &reason) {
  if (candidate < kMostCandidates) std::strncpy(shared_->reasons[candidate], reason.c_str(), kLongestReason);
}

std::string CandidateFaults::reason(size_t candidate) const {
  return candidate < kMostCandidates ? shared_->reasons[candidate] : "";
}

} // namespace mxc::tune
